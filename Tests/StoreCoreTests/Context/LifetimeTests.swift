import Foundation
import StoreCore
import TestSupport
import Testing

/// Who keeps whom, and what happens when somebody goes.
struct LifetimeTests {
    @Test func `A context that nobody refers to goes, with its default queue and its store`() throws {
        weak var store: SandboxStore?
        weak var queue: SKPaymentQueue?
        weak var context: StoreContext?
        try {
            let sandbox = try SandboxStore(products: [.consumable("sword", price: "0.99")])
            let own = StoreContext(backend: sandbox, delivery: .inline)
            let observer = Recorder()
            own.run {
                SKPaymentQueue.default().add(observer)
                SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
                #expect(SKPaymentQueue.default().transactions.count == 1)
                (store, queue, context) = (sandbox, SKPaymentQueue.default(), own)
            }
        }()
        #expect(context == nil)
        #expect(queue == nil)
        #expect(store == nil)
    }

    @Test func `A default queue that outlives its context still sells, and is the default one in its callbacks`() throws
    {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
        let queue = StoreContext(backend: store, delivery: .inline).run { SKPaymentQueue.default() }
        let witness = Recorder()
        queue.add(witness)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(witness.defaultQueues == [ObjectIdentifier(queue), ObjectIdentifier(queue)])
    }

    @Test func `An observer that goes on another thread may remove itself from the queue as it goes`() async throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
        let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        // One thread lets observers go while the other makes the queue look at them.
        await onThreads(2) { index in
            for _ in 0..<rounds(100, thoroughly: 500) {
                if index == 0 {
                    Leaver(queue).arrive()
                } else {
                    let observer = Recorder()
                    queue.add(observer)
                    queue.add(SKPayment(productIdentifier: "sword"))
                    queue.remove(observer)
                }
            }
        }
        #expect(queue.transactionObservers.isEmpty)
    }

    @Test func `A payment added before a store is set goes to that store, however soon it is set`() throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
        let context = StoreContext(delivery: .inline, log: .silent)
        let observer = Recorder()
        context.run {
            let queue = SKPaymentQueue.default()
            queue.add(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
            context.use(store)
        }
        #expect(observer.history.last == .updated("sword", .purchased))
    }

    private final class Leaver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
        // unchecked: the queue is constant, and there is nothing else.
        private let queue: SKPaymentQueue
        init(_ queue: SKPaymentQueue) { self.queue = queue }
        deinit { queue.remove(self) }
        func arrive() { queue.add(self) }
        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    }
}
