import Foundation
import StoreCore
import TestSupport
import Testing

/// The one context that tests share: they take turns, and leave it without a store.
@Suite(.serialized) struct ProcessContextTests {
    @Test func `B26, B27: Code that has no context of its own shares the process's queue`() async throws {
        #expect(StoreContext.current === StoreContext.process)
        let queue = SKPaymentQueue.default()
        #expect(SKPaymentQueue.default() === queue)
        let elsewhere = await onThread { ObjectIdentifier(SKPaymentQueue.default()) }
        #expect(elsewhere == ObjectIdentifier(queue))
    }

    @Test(arguments: Conformer.allCases)
    func `B45: A store set at start-up sells, and the app's launches follow one another on it`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        StoreContext.process.use(world.backend, delivery: .inline)
        defer { StoreContext.process.use(nil, delivery: .main) }
        #expect(SKPaymentQueue.canMakePayments())
        let first = Recorder()
        SKPaymentQueue.default().add(first)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
        await StoreContext.process.settle()
        #expect(first.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        let next = SKPaymentQueue.default().relaunch()
        #expect(SKPaymentQueue.default() === next)
        let second = Recorder.finishing()
        SKPaymentQueue.default().add(second)
        await StoreContext.process.settle()
        #expect(second.history == [.updated("sword", .purchased), .removed("sword")])
        SKPaymentQueue.default().remove(second)
    }

    @Test func `B36: The process's store may be set late and replaced; the queue object stays`() async throws {
        defer { StoreContext.process.use(nil, delivery: .main) }
        StoreContext.process.use(nil, delivery: .inline)
        let queue = SKPaymentQueue.default()
        let observer = Recorder.finishing()
        queue.add(observer)
        defer { queue.remove(observer) }
        for product in ["sword", "shield"] {
            let world = try Conformer.inProcess.world()
            StoreContext.process.backend = world.store
            queue.add(SKPayment(productIdentifier: product))
            #expect(SKPaymentQueue.default() === queue)
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
            )
            #expect(queue.storefront?.countryCode == "USA")
        }
    }
}
