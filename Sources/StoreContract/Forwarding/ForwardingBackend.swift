import StoreCore

/// A backend that forwards every call that it does not implement itself to another one.
package protocol ForwardingBackend: StoreBackend {
    /// The backend that receives the calls.
    var backend: any StoreBackend { get }
}

extension ForwardingBackend {
    package var clock: any StoreClock { backend.clock }
    package var lane: BackendLane { backend.lane }
    package var services: StoreServices { backend.services }

    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands, reply: reply)
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }

    package func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    package func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }
}

/// A store without its direct transport: queues use `StoreBackend` alone, even in the store's process.
///
/// All calls are forwarded to the store, but the backend is not an ``ImmediateStore``.
package final class SocketBackend: ForwardingBackend {
    package let backend: any StoreBackend

    /// Creates a backend that hides a store's direct transport.
    package init(_ backend: any StoreBackend) { self.backend = backend }
}

/// A `StoreBackend` that uses a store's direct transport.
///
/// Commands and connections go through ``ImmediateStore/exchange(_:on:into:)``, so that every check of a `StoreBackend`
/// checks this transport as well.
package final class ExchangeBackend: ForwardingBackend {
    private let store: any ImmediateStore
    private let links = Locked<[ObjectIdentifier: ExchangeLink]>([:])

    /// Creates a backend that uses a store's direct transport.
    package init(_ store: any ImmediateStore) { self.store = store }

    deinit { for link in links.withLock({ Array($0.values) }) { link.close() } }

    package var backend: any StoreBackend { store }

    /// Submits commands on the connection of their journal, if there is one.
    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let journal = commands.first?.id.journal
        if let link = links.withLock({ $0.values.first { $0.journal == journal } }) {
            return link.ask(commands, reply: reply)
        }
        var exchange = Exchange()
        store.exchange(commands, on: nil, into: &exchange)
        reply(exchange.answer)
        exchange.afterwards?()
        exchange.questions?()
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let link = ExchangeLink(store, receiver, after: cursor)
        links.withLock { $0.updateValue(link, forKey: ObjectIdentifier(receiver)) }?.close()
        link.open()
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) {
        links.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }?.close()
    }
}

/// A connection on a store's direct transport that pulls updates and passes them to a receiver.
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

    /// Opens the connection and delivers the updates that are available.
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

    /// Performs a request after earlier ones, on one thread at a time: batches stay in order.
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
    /// The reply as a `StoreBackend` delivers it.
    package var answer: SubmissionReply {
        switch reply {
        case .taken: .taken
        case .tryLater(let failure): .tryLater(failure)
        }
    }
}
