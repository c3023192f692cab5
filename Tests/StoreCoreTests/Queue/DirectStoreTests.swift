import Foundation
import StoreCore
import TestSupport
import Testing

/// A queue on a store in the process, which it asks with its lock held or with its lane marked as busy, and what comes between
/// question and answer.
@Suite(.timeLimit(.minutes(10))) struct DirectStoreTests {
    private let clock = ManualClock()

    private func makeQueue(
        _ store: ScriptedStore,
        _ observer: Recorder,
        delivery: StoreDelivery = .inline,
        journal: MemoryJournal = MemoryJournal(firstID: JournalID(rawValue: 1))
    ) -> SKPaymentQueue {
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: delivery)
        queue.add(observer)
        return queue
    }

    private func bought(_ product: String) -> [Heard] {
        [.updated(product, .purchasing), .updated(product, .purchased)]
    }

    private func whole(_ product: String) -> [Heard] { bought(product) + [.removed(product)] }

    @Test(arguments: [true, false])
    func `B17, B36: A purchase and its finish are one exchange each`(isSelfContained: Bool) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder.finishing()
        let queue = makeQueue(store, observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == whole("sword"))
        #expect(store.exchanges == [[1], [2]])
    }

    @Test func `B36: What is added while the store answers goes with the next exchange, in order`() {
        let store = ScriptedStore(isSelfContained: false, clock: clock)
        let observer = Recorder()
        let queue = makeQueue(store, observer)
        let box = Locked<SKPaymentQueue?>(queue)
        store.meddle(
            .init(before: {
                for product in ["shield", "helmet"] { box.withLock { $0 }?.add(SKPayment(productIdentifier: product)) }
            })
        )
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(store.exchanges == [[1], [2, 3]])
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword", "shield", "helmet"])
        #expect(queue.transactions.allSatisfy { $0.transactionState == .purchased })
        box.withLock { $0 = nil }
    }

    @Test(arguments: [true, false])
    func `B33: A refused command goes again, before those that were added meanwhile`(isSelfContained: Bool) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder()
        let journal = MemoryJournal(firstID: JournalID(rawValue: 1))
        let queue = makeQueue(store, observer, journal: journal)
        store.meddle(.init(refuses: true))
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(journal.commands.map(\.id.number) == [1])
        #expect(observer.history == [.updated("sword", .purchasing)])
        queue.add(SKPayment(productIdentifier: "shield"))
        #expect(store.exchanges == [[1]])
        clock.advance(by: 1)
        #expect(store.exchanges == [[1], [1, 2]])
        #expect(observer.history(of: "sword") == bought("sword"))
        #expect(observer.history(of: "shield") == bought("shield"))
        #expect(journal.commands == [])
    }

    @Test(arguments: [true, false])
    func `B33, B36: A refused finish is recorded, and heard removed once it is`(isSelfContained: Bool) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder()
        let journal = MemoryJournal(firstID: JournalID(rawValue: 1))
        let queue = makeQueue(store, observer, journal: journal)
        queue.add(SKPayment(productIdentifier: "sword"))
        store.meddle(.init(refuses: true))
        queue.finishTransaction(queue.transactions[0])
        #expect(journal.commands.map(\.id.number) == [2])
        #expect(observer.history == whole("sword"))
        clock.advance(by: 1)
        #expect(store.exchanges == [[1], [2], [2]])
        #expect(observer.history == whole("sword"))
        #expect(journal.commands == [])
    }

    @Test func `B36: News of another connection that come while the store answers are told with the answer, in order`()
    {
        let store = ScriptedStore(isSelfContained: false, clock: clock)
        let observer = Recorder()
        let queue = makeQueue(store, observer)
        store.meddle(.init(before: { for listener in store.sell("gift") { listener.updatesArrived() } }))
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(
            observer.history == [
                .updated("sword", .purchasing), .updated("gift", .purchased), .updated("sword", .purchased),
            ]
        )
        for listener in store.sell("shield") { listener.updatesArrived() }
        #expect(observer.history(of: "shield") == [.updated("shield", .purchased)])
    }

    @Test(arguments: [true, false])
    func `B36: What an answer leaves to do is done once, without a lock, after the queue knows the answer`(
        isSelfContained: Bool
    ) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder()
        let queue = makeQueue(store, observer)
        let box = Locked<SKPaymentQueue?>(queue)
        let seen = Locked<[[String]]>([])
        store.meddle(
            .init(answer: { exchange in
                exchange.afterwards = {
                    // With a lock held this would wait for itself.
                    let queue = box.withLock { $0 }
                    let products = queue?.transactions.map(\.payment.productIdentifier) ?? []
                    seen.withLock { $0.append(products) }
                    queue?.add(SKPayment(productIdentifier: "shield"))
                }
            })
        )
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(seen.withLock { $0 } == [["sword"]])
        #expect(observer.history(of: "shield") == bought("shield"))
        #expect(queue.settle() == [])
        box.withLock { $0 = nil }
    }

    @Test(arguments: [true, false])
    func `B36: A connection that the store has closed is opened again from where it was`(isSelfContained: Bool) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder()
        let queue = makeQueue(store, observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        store.meddle(
            .init(answer: { $0.updates = .lost(.network(.networkConnectionLost, "the test closes the connection")) })
        )
        queue.add(SKPayment(productIdentifier: "shield"))
        #expect(observer.history(of: "shield") == [.updated("shield", .purchasing)])
        clock.advance(by: 1)
        #expect(store.cursors == [nil, UpdateCursor(position: 1)])
        #expect(observer.history(of: "shield") == bought("shield"))
        #expect(store.listeners.count == 1)
    }

    @Test func `B35: A queue that is relaunched while the store answers tells nothing more, and nothing is lost`() {
        let store = ScriptedStore(isSelfContained: false, clock: clock)
        let (observer, heir) = (Recorder(), Recorder())
        let journal = MemoryJournal(firstID: JournalID(rawValue: 1))
        let queue = makeQueue(store, observer, journal: journal)
        let next = Locked<SKPaymentQueue?>(nil)
        let box = Locked<SKPaymentQueue?>(queue)
        store.meddle(
            .init(before: {
                let queue = box.withLock { $0 }
                let relaunched = queue?.relaunch()
                next.withLock { $0 = relaunched }
            })
        )
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == [])
        #expect(queue.transactions.isEmpty)
        #expect(store.exchanges == [[1]])
        #expect(store.listeners.isEmpty)
        let second = next.withLock { $0.take() }
        second?.add(heir)
        #expect(second?.settle() == [])
        #expect(heir.history == [.updated("sword", .purchased)])
        #expect(store.exchanges == [[1]])
        box.withLock { $0 = nil }
    }

    @Test func `B36: While the store answers with the queue's lock held, what others add and bring waits its turn`()
        async
    {
        let store = ScriptedStore(isSelfContained: true, clock: clock)
        let observer = Recorder()
        let queue = makeQueue(store, observer)
        let gate = Gate()
        store.meddle(.init(before: { gate.pass() }))
        async let purchase: Void = onThread { queue.add(SKPayment(productIdentifier: "sword")) }
        await onThread { gate.waitForArrival() }
        // Nobody answers these before the store has; they are only let go once it does.
        let begun = DispatchSemaphore(value: 0)
        async let addition: Void = onThread {
            begun.signal()
            queue.add(SKPayment(productIdentifier: "shield"))
        }
        async let ring: Void = onThread {
            begun.signal()
            for listener in store.sell("gift") { listener.updatesArrived() }
        }
        await onThread {
            begun.wait()
            begun.wait()
            gate.open()
        }
        await purchase
        await addition
        await ring
        #expect(await queue.settle() == [])
        #expect(store.exchanges.map(\.count) == [1, 1])
        #expect(observer.history(of: "sword") == bought("sword"))
        #expect(observer.history(of: "shield") == bought("shield"))
        #expect(observer.history(of: "gift") == [.updated("gift", .purchased)])
        #expect(!observer.hasOverlapped)
    }

    @Test(arguments: [true, false])
    func `B36: A queue that is let go leaves the store nothing, and a ring after that finds nobody`(
        isSelfContained: Bool
    ) {
        let store = ScriptedStore(isSelfContained: isSelfContained, clock: clock)
        let observer = Recorder()
        var queue: SKPaymentQueue? = makeQueue(store, observer)
        weak let weakQueue = queue
        queue?.add(SKPayment(productIdentifier: "sword"))
        let listeners = store.listeners
        #expect(listeners.count == 1)
        observer.clear()
        queue = nil
        #expect(weakQueue == nil)
        #expect(store.listeners.isEmpty)
        for listener in listeners { listener.updatesArrived() }
        #expect(observer.history == [])
    }

    @Test func `B36: A queue that is let go while the store answers tells what came, and leaves the store nothing`() {
        let store = ScriptedStore(isSelfContained: false, clock: clock)
        let observer = Recorder()
        let box = Locked<SKPaymentQueue?>(makeQueue(store, observer))
        weak let weakQueue = box.withLock { $0 }
        store.meddle(
            .init(before: {
                let last = box.withLock { $0.take() }
                withExtendedLifetime(last) {}
            })
        )
        let payment = SKPayment(productIdentifier: "sword")
        box.withLock { $0 }?.add(payment)
        #expect(weakQueue == nil)
        #expect(store.listeners.isEmpty)
        #expect(observer.history == bought("sword"))
    }
}
