import Foundation
import StoreCore
import Testing

@Suite struct RelaunchTests {
    @Test(arguments: Conformer.allCases)
    func `B33, B38, B39: What was not finished comes back at the next launch, failed ones included`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        for product in ["sword", "swrod", "full.game"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(
            after.history
                == [.updated("sword", .purchased), .updated("swrod", .failed), .updated("full.game", .purchased)]
        )
        #expect(after.transactions.map(\.transactionIdentifier) == before.transactions.map(\.transactionIdentifier))
        #expect(after.transactions[1].trouble == .storeKit(.paymentInvalid))
        #expect(next.transactions.count == 3)
    }

    @Test(arguments: Conformer.allCases)
    func `B34, B35: The store goes on with a payment while the app is gone`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, before) = await world.observedQueue()
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        let next = queue.relaunch()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(before.history == [.updated("sword", .purchasing), .updated("shield", .purchasing)])
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(after.history(of: "sword").last == .updated("sword", .purchased))
        #expect(after.history(of: "shield") == [.updated("shield", .purchasing)])
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .cancel)
        await next.settle()
        #expect(after.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .failed)])
    }

    @Test(arguments: Conformer.allCases)
    func `B35: The queue before falls silent at once`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, before) = await world.observedQueue()
        await queue.buy("sword")
        before.clear()
        let after = Recorder()
        let next = queue.relaunch()
        next.add(after)
        await next.settle()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await next.buy("shield")
        #expect(before.history.isEmpty)
        #expect(queue.transactions.isEmpty)
        #expect(after.history(of: "sword").last == .updated("sword", .purchased))
    }

    @Test(arguments: Conformer.allCases)
    func `B35: What an app still does with the queue before disturbs the next one in nothing`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        _ = queue.transactions
        queue.remove(before)
        queue.add(before)
        await next.settle()
        await next.buy("sword")
        #expect(after.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(before.history.isEmpty)
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B71: What was finished does not come back`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let queue = await world.observedQueue(Recorder())
        let app = Recorder.finishing()
        queue.add(app)
        for product in ["sword", "swrod", "full.game"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        #expect(queue.transactions.isEmpty)
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(after.history.isEmpty)
        #expect(next.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B34, B35: A payment that waits for the next launch is bought, whatever the queue before finishes meanwhile`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        await queue.buy("full.game")
        let delivered = try #require(queue.transactions.first)
        world.store.isReachable = false
        await queue.buy("sword")
        let next = queue.relaunch()
        world.store.isReachable = true
        queue.finishTransaction(delivered)
        await queue.settle()
        #expect(try world.store.transactions.map(\.isFinished) == [true])
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(before.history(of: "sword") == [.updated("sword", .purchasing)])
        #expect(after.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B34: A payment added while the store is away survives a relaunch and is bought when it is back`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        world.store.isReachable = false
        for product in ["sword", "shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        #expect(
            before.history
                == [.updated("sword", .purchasing), .updated("shield", .purchasing), .updated("spear", .purchasing)]
        )
        let next = queue.relaunch()
        #expect(next.transactions.map(\.payment.productIdentifier) == ["sword", "shield", "spear"])
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(after.history == before.history)
        world.store.isReachable = true
        await world.advance(by: 2)
        #expect(
            after.history.suffix(3)
                == [.updated("sword", .purchased), .updated("shield", .purchased), .updated("spear", .purchased)]
        )
        #expect(after.history.count == 6)
        #expect(after.transactions.count == 3)
        #expect(before.history.count == 3)
    }

    @Test(arguments: Conformer.allCases)
    func `B69, B71: A finish while the store is away survives a relaunch, and the transaction stays gone`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.buy("shield")
        world.store.isReachable = false
        queue.finishTransaction(before.transactions[0])
        await queue.settle()
        #expect(before.history.last == .removed("sword"))
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(after.history.isEmpty)
        world.store.isReachable = true
        await world.advance(by: 2)
        #expect(after.history == [.updated("shield", .purchased)])
        // The finish has reached the store by now: a launch on a new journal does not see it either.
        let (fresh, other) = await world.observedQueue()
        #expect(other.history == [.updated("shield", .purchased)])
        #expect(fresh.transactions.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B34: Several launches while the store is away lose nothing and keep the order`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        world.store.isReachable = false
        var queue = world.queue()
        let products = ["sword", "shield", "spear", "lessons"]
        for product in products {
            let observer = Recorder()
            queue.add(observer)
            await queue.buy(product)
            queue = queue.relaunch()
        }
        world.store.isReachable = true
        let observer = Recorder.finishing()
        queue.add(observer)
        await queue.settle()
        await world.advance(by: 2)
        let bought = observer.transactions.map(\.payment.productIdentifier)
        #expect(bought == products)
        for product in products {
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
            )
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B36: Two queues on one store both see what either does`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let here = Recorder()
        let there = Recorder()
        let first = await world.observedQueue(here)
        let second = await world.observedQueue(there)
        await first.buy("sword")
        #expect(here.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(there.history.last == .updated("sword", .purchased))
        #expect(here.transactions.map(\.transactionIdentifier) == there.transactions.map(\.transactionIdentifier))
        second.finishTransaction(try #require(there.transactions.first))
        await second.settle()
        #expect(here.history.last == .removed("sword"))
        #expect(there.history.last == .removed("sword"))
        #expect(first.transactions.isEmpty)
        #expect(second.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B43: Two queues may finish one transaction`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let here = Recorder.finishing()
        let there = Recorder.finishing()
        let first = await world.observedQueue(here)
        _ = await world.observedQueue(there)
        for _ in 1...20 { first.add(SKPayment(productIdentifier: "sword")) }
        await first.settle()
        for observer in [here, there] {
            let removals = observer.history.filter { $0 == .removed("sword") }
            #expect(removals.count == observer.transactions.count)
        }
        #expect(here.transactions.count == 20)
        let late = Recorder()
        _ = await world.observedQueue(late)
        #expect(late.history.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B35: A transaction of the queue before can still be finished, and stays gone`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, before) = await world.observedQueue()
        await queue.buy("sword")
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        queue.finishTransaction(before.transactions[0])
        await next.settle()
        #expect(after.history == [.updated("sword", .purchased), .removed("sword")])
        #expect(next.transactions.isEmpty)
    }
}
