import StoreCore

/// A connection on a store's direct road that pulls updates and passes them to a receiver.
final class ExchangeLink: NewsListener {
    private struct Request: Sendable {
        var commands: [StoreCommand] = []
        var reply: (@Sendable (SubmissionReply) -> Void)?
    }

    private struct State: Sendable {
        var connection: StoreConnectionID?
        var isClosed = false
        var outbox = Outbox<Request>()
    }

    let journal: JournalID
    private let store: any ImmediateStore
    private let receiver: any StoreUpdateReceiver
    private let cursor: UpdateCursor?
    private let state = Locked(State())

    init(_ store: any ImmediateStore, _ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        self.store = store
        self.receiver = receiver
        self.cursor = cursor
        journal = receiver.journal
    }

    /// Opens the connection and delivers the updates that there are.
    func open() {
        let connection = store.openConnection(self, journal: journal, after: cursor)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.connection = connection }
            return state.isClosed
        }
        if isClosed { store.closeConnection(connection) } else { enqueue(Request()) }
    }

    func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection.take()
        }
        if let connection { store.closeConnection(connection) }
    }

    func ask(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        enqueue(Request(commands: commands, reply: reply))
    }

    func newsArrived() { enqueue(Request()) }

    /// Makes a request once earlier requests are done, on one thread at a time: batches stay in order.
    private func enqueue(_ request: Request) {
        let isMine = state.withLock { state in
            state.outbox.append(request)
            return state.outbox.schedule()
        }
        guard isMine else { return }
        let work = store.clock.activity.begin()
        state.drain(\.outbox) { exchange($0) }
        work.end()
    }

    private func exchange(_ request: Request) {
        var commands = request.commands
        var reply = request.reply
        var hasMore = true
        while hasMore {
            var exchange = Exchange()
            store.exchange(commands, on: state.withLock { $0.connection }, into: &exchange)
            reply.take()?(exchange.answer)
            handOver(exchange)
            exchange.afterwards?()
            exchange.questions?()
            commands = []
            hasMore = exchange.hasMore
        }
    }

    private func handOver(_ exchange: Exchange) {
        switch exchange.news {
        case .none: break
        case .batch: if state.withLock({ !$0.isClosed }) { receiver.receive(exchange.batch) }
        case .lost(let failure):
            let isMine = state.withLock { $0.connection.take() != nil }
            if isMine { receiver.connectionLost(failure) }
        }
    }
}

extension Exchange {
    /// The acknowledgement in the form of the socket.
    package var answer: SubmissionReply {
        switch reply {
        case .taken: .taken
        case .tryLater(let failure): .tryLater(failure)
        }
    }
}
