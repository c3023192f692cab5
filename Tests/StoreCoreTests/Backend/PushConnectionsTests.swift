import StoreCore
import Testing

@Suite struct PushConnectionsTests {
    private let store = ScriptedStore(isSelfContained: true)
    private let connections = PushConnections()
    private let receiver = UpdateRecorder()

    private func connect() { connections.connect(receiver, after: nil) { [store] in store } }

    @Test func `A receiver gets the outcome of its own commands although nobody notifies it`() {
        connect()
        #expect(receiver.batches.count == 1)
        connections.submit(receiver.commands(.buy("sword")), to: store) { [receiver] reply in
            #expect(reply == .taken)
            #expect(receiver.batches.count == 1)
        }
        #expect(receiver.batches.count == 2)
        #expect(receiver.transactions.count == 1)
    }

    @Test func `A receiver that is disconnected by the reply gets no more updates`() {
        connect()
        connections.submit(receiver.commands(.buy("sword")), to: store) { [connections, receiver] _ in
            connections.disconnect(receiver)
        }
        #expect(receiver.batches.count == 1)
        #expect(store.listeners.isEmpty)
    }

    @Test func `A receiver that connects anew in the reply resumes on the new connection only`() {
        connect()
        let cursor = receiver.cursor
        connections.submit(receiver.commands(.buy("sword")), to: store) { [connections, receiver, store] _ in
            connections.connect(receiver, after: cursor) { store }
        }
        #expect(receiver.transactions.count == 1)
        #expect(store.listeners.count == 1)
        _ = store.sell("shield")
        for listener in store.listeners { listener.updatesArrived() }
        #expect(receiver.transactions.count == 2)
    }

    @Test func `A submission without commands is answered, connected or not`() {
        let replies = Locked(0)
        connections.submit([], to: store) { _ in replies.withLock { $0 += 1 } }
        connect()
        connections.submit([], to: store) { _ in replies.withLock { $0 += 1 } }
        #expect(replies.withLock { $0 } == 2)
    }

    @Test func `A receiver that was notified while its store was gone connects anew`() {
        let source = Locked<ScriptedStore?>(store)
        connections.connect(receiver, after: nil) { source.withLock { $0 } }
        source.withLock { $0 = nil }
        for listener in store.listeners { listener.updatesArrived() }
        #expect(receiver.batches.count == 1)
        source.withLock { $0 = store }
        connections.connect(receiver, after: receiver.cursor) { source.withLock { $0 } }
        _ = store.sell("shield")
        for listener in store.listeners { listener.updatesArrived() }
        #expect(receiver.transactions.count == 1)
    }

    @Test func `A receiver that submits while it is called has the reply at once, and the outcome afterwards`() throws {
        let store = try Market().store
        let receiver = BuyingReceiver(store)
        store.connect(receiver, after: nil)
        #expect(receiver.log.withLock { $0 } == ["called", "replied", "returned", "called", "returned"])
    }

    @Test func `An authorizer sees that receivers have been told of what it changes`() throws {
        let store = try Market().store
        let count = Locked(0)
        store.connect(receiver, after: nil)
        store.authorizer = Authorizer { [weak store, receiver] _ in
            _ = try? store?.account.buy("sword")
            count.withLock { $0 = receiver.transactions.filter { $0.hasSuffix("purchased") }.count }
            return .approve
        }
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(count.withLock { $0 } == 1)
        #expect(receiver.transactions.filter { $0.hasSuffix("purchased") }.count == 2)
    }
}

/// Buys a sword in the first call, and records the order of events.
private final class BuyingReceiver: StoreUpdateReceiver {
    let journal = JournalID.unique()
    let log = Locked<[String]>([])
    private let store: SandboxStore

    init(_ store: SandboxStore) { self.store = store }

    func receive(_ batch: UpdateBatch) {
        let isFirst = log.withLock { log in
            log.append("called")
            return log.count == 1
        }
        if isFirst {
            let command = StoreCommand(id: OrderID(journal: journal, number: 1), action: .buy("sword"))
            store.submit([command]) { [log] _ in log.withLock { $0.append("replied") } }
        }
        log.withLock { $0.append("returned") }
    }

    func connectionLost(_ failure: StoreFailure) {}
}
