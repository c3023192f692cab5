import Foundation
import StoreCore
import Testing

/// In a program with an asynchronous `main`, this one too, the main queue is not on the main thread.
@Suite struct MainQueueTests {
    @Test(.timeLimit(.minutes(10)))
    @MainActor
    func `Settling on the main actor makes the callbacks of the main queue there`() throws {
        let queue = SKPaymentQueue(backend: try SandboxStore(products: [.consumable("sword", price: "0.99")]))
        let observer = Recorder()
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history.isEmpty)
        settle(queue)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    /// A check that does not hold stops the process.
    @Test func `Callbacks of the main queue are on the main queue and on the main actor`() async throws {
        let queue = SKPaymentQueue(backend: try SandboxStore(products: [.consumable("sword", price: "0.99")]))
        let counted = Locked(0)
        let observer = Recorder(onUpdate: { _, _ in
            dispatchPrecondition(condition: .onQueue(.main))
            MainActor.assumeIsolated { counted.withLock { $0 += 1 } }
        })
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.settle()
        #expect(counted.withLock { $0 } == 2)
    }

    /// Not asynchronous, and so it takes the overload that is not either.
    private func settle(_ queue: SKPaymentQueue) { queue.settle() }
}
