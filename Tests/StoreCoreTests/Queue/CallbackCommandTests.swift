import Foundation
import StoreCore
import TestSupport
import Testing

/// What callbacks finish and add, and when it reaches a store that is asked without the queue's lock.
@Suite(.timeLimit(.minutes(10))) struct CallbackCommandTests {
    /// Where callbacks are made.
    enum Delivery: CaseIterable {
        case inline, serial

        var value: StoreDelivery {
            switch self {
            case .inline: .inline
            case .serial: .queue(DispatchQueue(label: "CallbackCommandTests"))
            }
        }
    }

    private let clock = ManualClock()
    private let store: ScriptedStore

    init() { store = ScriptedStore(isSelfContained: false, clock: clock) }

    private func makeQueue(
        _ observer: Recorder,
        _ delivery: Delivery,
        journal: MemoryJournal = MemoryJournal(firstID: JournalID(rawValue: 1))
    ) async -> SKPaymentQueue {
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: delivery.value)
        queue.add(observer)
        await queue.settle()
        return queue
    }

    /// Sells so many things that nobody has ordered, which one callback tells.
    ///
    /// They take the queue's first numbers.
    private func sell(_ count: Int) {
        var listeners: [any UpdateListener] = []
        for number in 0..<count { listeners = store.sell("gift\(number)") }
        for listener in listeners { listener.updatesArrived() }
    }

    /// A recorder that does something with the transactions of a callback, and finishes what was bought.
    private func finishing(
        _ afterwards: @escaping @Sendable (SKPaymentQueue, [SKPaymentTransaction]) -> Void
    ) -> Recorder {
        Recorder(onUpdate: { queue, transactions in
            for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
            afterwards(queue, transactions)
        })
    }

    @Test(arguments: Delivery.allCases)
    func `B36: What a callback finishes of several goes to the store once it returns, and together`(
        delivery: Delivery
    ) async {
        let seen = Locked<[[Int]]?>(nil)
        let observer = finishing { [store] _, _ in seen.withLock { $0 = store.exchanges } }
        let queue = await makeQueue(observer, delivery)
        sell(3)
        await queue.settle()
        #expect(seen.withLock { $0 } == [])
        #expect(store.exchanges == [[4, 5, 6]])
        #expect(observer.callbacks.map(\.count) == [3, 3])
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Delivery.allCases)
    func `B36: What a callback finishes of one has reached the store before it returns`(delivery: Delivery) async {
        let seen = Locked<[[Int]]?>(nil)
        let observer = finishing { [store] _, _ in seen.withLock { $0 = store.exchanges } }
        let queue = await makeQueue(observer, delivery)
        sell(1)
        await queue.settle()
        #expect(seen.withLock { $0 } == [[2]])
        #expect(observer.history == [.updated("gift0", .purchased), .removed("gift0")])
    }

    @Test(arguments: Delivery.allCases)
    func `B36: A payment added after finishes of several takes them along, in order`(delivery: Delivery) async {
        let seen = Locked<[[Int]]?>(nil)
        let observer = finishing { [store] queue, transactions in
            if transactions.count < 3 { return }
            queue.add(SKPayment(productIdentifier: "sword"))
            seen.withLock { $0 = store.exchanges }
        }
        let queue = await makeQueue(observer, delivery)
        sell(3)
        await queue.settle()
        #expect(seen.withLock { $0 } == [[4, 5, 6, 7]])
        #expect(store.exchanges == [[4, 5, 6, 7], [8]])
        #expect(observer.history.suffix(1) == [.removed("sword")])
    }

    @Test(arguments: Delivery.allCases)
    func `B36: Another thread takes along what a callback that does not end has finished`(delivery: Delivery) async {
        let gate = Gate()
        let observer = finishing { _, transactions in if transactions.count == 3 { gate.pass() } }
        let queue = await makeQueue(observer, delivery)
        async let sale: Void = onThread { sell(3) }
        await onThread {
            gate.waitForArrival()
            #expect(store.exchanges == [])
            queue.add(SKPayment(productIdentifier: "sword"))
            #expect(store.exchanges == [[4, 5, 6, 7]])
            gate.open()
        }
        await sale
        await queue.settle()
        #expect(queue.transactions.isEmpty)
        #expect(store.exchanges == [[4, 5, 6, 7], [8]])
        #expect(!observer.hasOverlapped)
    }

    @Test(arguments: Delivery.allCases)
    func `B36: A callback is not held up by what others add meanwhile, which goes when it returns`(
        delivery: Delivery
    ) async {
        let seen = Locked<[[Int]]?>(nil)
        let observer = Recorder(onUpdate: { [store] queue, transactions in
            guard transactions[0].payment.productIdentifier == "gift0" else { return }
            queue.add(SKPayment(productIdentifier: "sword"))
            seen.withLock { $0 = store.exchanges }
        })
        let queue = await makeQueue(observer, delivery)
        let box = Locked<SKPaymentQueue?>(queue)
        store.meddle(
            .init(before: {
                let isAdded = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    box.withLock { $0 }?.add(SKPayment(productIdentifier: "shield"))
                    isAdded.signal()
                }
                isAdded.wait()
            })
        )
        sell(1)
        await queue.settle()
        #expect(seen.withLock { $0 } == [[2]])
        #expect(store.exchanges == [[2], [3]])
        #expect(observer.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .purchased)])
        box.withLock { $0 = nil }
    }

    @Test(arguments: Delivery.allCases, [1, 3])
    func `B33, B36: What the store refuses of a callback is recorded when the callback returns`(
        delivery: Delivery,
        count: Int
    ) async {
        let journal = MemoryJournal(firstID: JournalID(rawValue: 1))
        let observer = finishing { _, _ in }
        let queue = await makeQueue(observer, delivery, journal: journal)
        let finishes = (1...count).map { count + $0 }
        store.meddle(.init(refuses: true))
        sell(count)
        await queue.settle()
        #expect(journal.commands.map(\.id.number) == finishes)
        #expect(store.exchanges == [finishes])
        #expect(observer.history.count == 2 * count)
        await clock.advance(by: 1)
        await queue.settle()
        #expect(journal.commands == [])
        #expect(store.exchanges == [finishes, finishes])
    }

    @Test(arguments: Delivery.allCases, [true, false])
    func `B33, B36: What one callback finishes is in the store or the journal before the next is made`(
        delivery: Delivery,
        refuses: Bool
    ) async {
        let journal = MemoryJournal(firstID: JournalID(rawValue: 1))
        let seen = Locked<[Int]>([])
        let observer = finishing { [store] _, _ in
            let known = refuses ? journal.commands.count : store.exchanges.joined().count
            seen.withLock { $0.append(known) }
        }
        let queue = await makeQueue(observer, delivery, journal: journal)
        if refuses { store.meddle(.init(refuses: true)) }
        sell(300)
        await queue.settle()
        #expect(observer.callbacks.prefix(2).map(\.count) == [256, 44])
        // After a refusal nothing can be sent for a while, and each finish is recorded at once.
        #expect(seen.withLock { $0.prefix(2) } == [0, refuses ? 300 : 256])
        await clock.advance(by: 1)
        await queue.settle()
        #expect(queue.transactions.isEmpty)
        #expect(journal.commands == [])
    }

    @Test func `B36: A store elsewhere gets the first finish of several before the callback returns`() {
        let backend = ScriptedBackend(clock: clock)
        let seen = Locked<[Int]>([])
        let observer = finishing { _, _ in seen.withLock { $0 = backend.submissions.map(\.commands.count) } }
        let queue = SKPaymentQueue(backend: backend, delivery: .inline)
        queue.add(observer)
        let gifts = (0..<3).map { number in
            StoreTransaction(
                identifier: "gift\(number)",
                payment: StorePayment(productIdentifier: "gift\(number)"),
                state: .purchased,
                date: .distantPast
            )
        }
        let batch = UpdateBatch(after: nil, through: UpdateCursor(position: 3), updates: gifts.map { .transaction($0) })
        backend.connections[0].receiver.receive(batch)
        #expect(observer.callbacks.first?.count == 3)
        #expect(seen.withLock { $0 } == [1])
        backend.submissions[0].reply(.taken)
        #expect(backend.submissions.map(\.commands.count) == [1, 2])
    }
}
