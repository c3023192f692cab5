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
