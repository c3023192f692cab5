/// A store in the same process, which returns updates from the queue's calls instead of calling the queue.
///
/// One call passes commands and returns their acknowledgement together with all updates that the connection has not
/// received yet. Nothing is pushed: when something else causes a change for a connection, the store notifies its
/// ``UpdateListener``, and the queue calls again. ``PushConnections`` adapts such a store to receivers that use only
/// ``StoreBackend``.
///
/// Every requirement may be called on any thread. None calls a listener or an authorizer: the follow-up work of a call
/// is in ``Exchange/afterwards`` and ``Exchange/questions``, which the caller runs once it holds no lock.
package protocol ImmediateStore: StoreBackend {
    /// Whether an exchange runs only StoreCore's own code: neither a client's ledger nor a client's clock.
    ///
    /// If so, a queue may call the store with the queue's own lock held, unless a payment has special terms: a client's
    /// ``OfferSigner`` may check the signature of an offer. The locks are taken in the order queue, store, clock.
    var isSelfContained: Bool { get }

    /// Opens a connection for a queue's journal.
    ///
    /// The first exchange on it starts the updates, as ``StoreBackend/connect(_:after:)`` describes.
    ///
    /// - Parameters:
    ///   - listener: notified of updates; retained until ``closeConnection(_:)``.
    ///   - journal: the journal in which the queue numbers its commands.
    ///   - cursor: the position at which an earlier connection ended; nil requests a snapshot.
    /// - Returns: the connection's identifier.
    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID

    /// Closes a connection. Has no effect if it is closed already.
    func closeConnection(_ connection: StoreConnectionID)

    /// Accepts commands, and returns the updates that the connection has not received.
    ///
    /// - Parameters:
    ///   - commands: in the order of their numbers; empty to request only updates.
    ///   - connection: the queue's; nil while it has none.
    ///   - exchange: receives the result. It has to be empty; its buffers are reused.
    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange)

    /// Accepts one command, and returns updates, like the method for several commands.
    ///
    /// The command must not be a payment with special terms, since a client's signer may have to check its signature.
    /// The default implementation passes the command on in an array.
    func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange)
}

extension ImmediateStore {
    package func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        self.exchange([command], on: connection, into: &exchange)
    }
}

/// The result of a call to an ``ImmediateStore``.
package struct Exchange: Sendable {
    /// The acknowledgement of the commands.
    ///
    /// Meaningless without commands.
    package private(set) var reply = Reply.taken
    /// The kind of updates that the exchange returns.
    package var updates = Updates.none
    /// The updates, if they are a batch.
    package var batch = UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: [])
    /// Whether another exchange would return more updates at once.
    package var hasMore = false
    /// Notifies other connections and sets the clock; nil if there is no such work.
    ///
    /// To be run exactly once, after the caller has accepted the exchange. No lock may be held while it or
    /// ``questions`` is run, nor while either closure is released.
    package var afterwards: (@Sendable () -> Void)?
    /// Calls the authorizer, which may take any time; nil if there is nothing to authorize.
    ///
    /// To be run after ``afterwards``. It may block the calling thread, so no update may depend on that thread.
    package var questions: (@Sendable () -> Void)?

    /// A compact ``SubmissionReply``.
    package enum Reply: Sendable {
        case taken
        indirect case tryLater(StoreFailure)
    }

    package enum Updates: Sendable {
        case none
        case batch
        /// The store has closed the connection.
        indirect case lost(StoreFailure)
    }

    package init() {}

    /// The acknowledgement as a ``SubmissionReply``, for ``StoreBackend``.
    package var answer: SubmissionReply {
        switch reply {
        case .taken: .taken
        case .tryLater(let failure): .tryLater(failure)
        }
    }

    package mutating func refuse(_ failure: StoreFailure) { reply = .tryLater(failure) }

    /// Whether there is no follow-up work.
    var isOver: Bool { afterwards == nil && questions == nil }

    /// Takes over the follow-up work of another exchange.
    package mutating func inherit(_ other: Exchange) {
        afterwards = other.afterwards
        questions = other.questions
    }

    /// Empties the exchange, but retains its buffers.
    package mutating func clear() {
        reply = .taken
        updates = .none
        batch.updates.empty()
        hasMore = false
        afterwards = nil
        questions = nil
    }
}

/// A queue's side of a connection, which the store notifies of new updates.
package protocol UpdateListener: AnyObject, Sendable {
    /// Reports that the next exchange may return updates. Called without a lock, on any thread, at most once until that
    /// exchange.
    func updatesArrived()
}
