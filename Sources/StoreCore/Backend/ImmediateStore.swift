/// A store in the same process, which a queue asks by value instead of being called back.
///
/// One call hands commands over and returns the acknowledgement together with all news that the connection has not been
/// given yet. Nothing is pushed: when something else causes a change for a connection, the store notifies its
/// ``NewsListener``, and the queue asks again.
///
/// Every requirement may be called on any thread. None calls a listener or an authorizer: the follow-up work of a call
/// is in ``Exchange/afterwards`` and ``Exchange/questions``, which the caller runs once it holds no lock.
package protocol ImmediateStore: StoreBackend {
    /// Whether an exchange runs only StoreCore's own code: neither a client's ledger nor a client's clock.
    ///
    /// A queue may then ask with its lock held, unless a payment has special terms: a client's ``OfferSigner`` may check
    /// the signature of an offer. The order of the locks is queue, store, clock.
    var isSelfContained: Bool { get }

    /// Opens a connection for a queue's journal.
    ///
    /// The first exchange on it starts the updates, as ``StoreBackend/connect(_:after:)`` describes.
    ///
    /// - Parameters:
    ///   - listener: notified when there is news; retained until ``closeConnection(_:)``.
    ///   - journal: the name under which the queue numbers its commands.
    ///   - cursor: the place where an earlier connection ended; nil asks for a snapshot.
    /// - Returns: the connection's name.
    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID

    /// Closes a connection. One that is closed already is ignored.
    func closeConnection(_ connection: StoreConnectionID)

    /// Accepts commands, and returns the news that the connection has not been given.
    ///
    /// - Parameters:
    ///   - commands: in the order of their numbers; none to ask for news only.
    ///   - connection: the queue's; nil while it has none.
    ///   - exchange: the answer. It has to be empty; its buffers are reused.
    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange)

    /// Accepts one command, in the same way; never a payment with special terms, whose signature a signer may have to
    /// check.
    ///
    /// Default: hands it over in an array.
    func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange)
}

extension ImmediateStore {
    package func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        self.exchange([command], on: connection, into: &exchange)
    }
}

extension SubmissionReply {
    init(_ reply: Exchange.Reply) {
        switch reply {
        case .taken: self = .taken
        case .tryLater(let failure): self = .tryLater(failure)
        }
    }
}

/// The answer of an ``ImmediateStore``.
package struct Exchange: Sendable {
    /// The acknowledgement of the commands.
    ///
    /// Meaningless without commands.
    package private(set) var reply = Reply.taken
    /// The kind of news that the connection had not been given.
    package var news = News.none
    /// The news, if it is a batch.
    package var batch = UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: [])
    /// Whether another exchange would return more news at once.
    package var hasMore = false
    /// Notifies other connections and sets the clock; nil if there is no such work.
    ///
    /// To be run exactly once, after the caller has accepted the exchange, by a caller that holds no lock. The same
    /// holds for ``questions``, and for releasing either.
    package var afterwards: (@Sendable () -> Void)?
    /// Asks the authorizer, which may take any time; nil if there is no question.
    ///
    /// To be run after ``afterwards``, where no news waits for the answer.
    package var questions: (@Sendable () -> Void)?

    /// A compact ``SubmissionReply``.
    package enum Reply: Sendable {
        case taken
        indirect case tryLater(StoreFailure)
    }

    package enum News: Sendable {
        case none
        case batch
        /// The store has closed the connection.
        indirect case lost(StoreFailure)
    }

    package init() {}

    package mutating func refuse(_ failure: StoreFailure) { reply = .tryLater(failure) }

    /// Whether it has left no follow-up work.
    var isOver: Bool { afterwards == nil && questions == nil }

    /// Takes over the follow-up work of another exchange.
    package mutating func inherit(_ other: Exchange) {
        afterwards = other.afterwards
        questions = other.questions
    }

    /// Empties the exchange, but keeps its buffers.
    package mutating func clear() {
        reply = .taken
        news = .none
        batch.updates.empty()
        hasMore = false
        afterwards = nil
        questions = nil
    }
}

/// An end of a connection that the store notifies of news.
package protocol NewsListener: AnyObject, Sendable {
    /// Announces that the next exchange may return news. Called without a lock, on any thread, at most once until that
    /// exchange.
    func newsArrived()
}
