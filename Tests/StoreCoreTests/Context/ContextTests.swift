import Foundation
import StoreCore
import TestSupport
import Testing

@Suite struct ContextTests {
    private func context(_ world: World, log: StoreLog = .silent) -> StoreContext {
        StoreContext(backend: world.backend, delivery: .inline, log: log)
    }

    @Test(arguments: Conformer.allCases)
    func `B26, B27: A context has one default queue, the same whenever it is asked for`(conformer: Conformer) throws {
        let here = context(try conformer.world())
        let there = context(try conformer.world())
        let queue = here.run { SKPaymentQueue.default() }
        #expect(here.run { SKPaymentQueue.default() } === queue)
        #expect(there.run { SKPaymentQueue.default() } !== queue)
    }

    @Test func `B27: Threads that ask for the default queue at once get the same`() async throws {
        let context = context(try Conformer.inProcess.world())
        let queues = Locked<Set<ObjectIdentifier>>([])
        await onThreads(4) { _ in
            let queue = context.run { SKPaymentQueue.default() }
            queues.withLock { _ = $0.insert(ObjectIdentifier(queue)) }
        }
        #expect(queues.withLock { $0.count } == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B26: Contexts of tasks side by side do not touch each other`(conformer: Conformer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    let world = try conformer.world()
                    let context = StoreContext(backend: world.backend, delivery: .inline, log: .silent)
                    try await context.run {
                        let observer = Recorder.finishing()
                        let queue = SKPaymentQueue.default()
                        queue.add(observer)
                        for number in 0...index { queue.add(SKPayment(productIdentifier: "swrod\(index).\(number)")) }
                        await context.settle()
                        #expect(observer.history.count == 3 * (index + 1))
                        #expect(Set(observer.defaultQueues) == [ObjectIdentifier(queue)])
                        let inherited = await Task { SKPaymentQueue.default() }.value
                        #expect(inherited === queue)
                        try #require(StoreContext.current === context)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B49: Callbacks run in their queue's context, wherever they come from`(conformer: Conformer) async throws {
        let here = try conformer.world()
        let there = try conformer.world()
        let hereContext = context(here)
        let thereContext = context(there)
        let first = Recorder()
        let second = Recorder()
        let queue = hereContext.run { SKPaymentQueue.default() }
        let other = thereContext.run { SKPaymentQueue.default() }
        queue.add(first)
        other.add(second)
        // Each is used while the other's context is bound.
        thereContext.run { queue.add(SKPayment(productIdentifier: "sword")) }
        hereContext.run { other.add(SKPayment(productIdentifier: "shield")) }
        await queue.settle()
        await other.settle()
        #expect(first.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(second.history == [.updated("shield", .purchasing), .updated("shield", .purchased)])
        #expect(Set(first.defaultQueues) == [ObjectIdentifier(queue)])
        #expect(Set(second.defaultQueues) == [ObjectIdentifier(other)])
    }

    @Test(arguments: Conformer.allCases)
    func `B75: A request belongs to the context in which it was made, its callbacks too`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let context = context(world)
        let queue = context.run { SKPaymentQueue.default() }
        let bound = Locked<[ObjectIdentifier]>([])
        let delegate = RequestRecorder(
            onResponse: { _ in bound.withLock { $0.append(ObjectIdentifier(SKPaymentQueue.default())) } },
            onEnd: { _ in bound.withLock { $0.append(ObjectIdentifier(SKPaymentQueue.default())) } }
        )
        let request = context.run { SKProductsRequest(productIdentifiers: ["sword"]) }
        request.delegate = delegate
        request.start()
        await context.settle()
        #expect(delegate.history == [.response(["sword"], invalid: []), .finished])
        #expect(bound.withLock { $0 } == [ObjectIdentifier(queue), ObjectIdentifier(queue)])
    }

    @Test func `B28: Without a store the queue is there, and one warning says what to call`() async {
        let log = LogRecorder()
        let context = StoreContext(delivery: .inline, log: log.log)
        context.run {
            #expect(SKPaymentQueue.canMakePayments())
            let queue = SKPaymentQueue.default()
            let observer = Recorder()
            queue.add(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
            #expect(queue.storefront == nil)
            #expect(SKPaymentQueue.canMakePayments())
            withExtendedLifetime(observer) {}
        }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("StoreContext.process.use(store)") == true)
    }

    @Test func `B90, B28: Without a store a request fails with an error that says what to call`() async throws {
        let log = LogRecorder()
        let context = StoreContext(delivery: .inline, log: log.log)
        let delegate = RequestRecorder()
        context.run {
            for request in [SKProductsRequest(productIdentifiers: ["sword"]), SKReceiptRefreshRequest()] {
                request.delegate = delegate
                request.start()
            }
        }
        #expect(delegate.history == [.failed(.storeKit(.clientInvalid)), .failed(.storeKit(.clientInvalid))])
        for error in delegate.errors {
            let reason = try #require((error as? SKError)?.userInfo[StoreFailure.reasonKey] as? String)
            #expect(reason.contains("StoreContext.process.use(store)"))
        }
        #expect(log.lines.count == 1)
    }

    @Test func `A context without a store does not wait for the work of others on the system's clock`() async {
        let elsewhere = Locked<Activity.Work?>(SystemClock.shared.activity.begin())
        // Ends a settling that waits for it, which has failed.
        DispatchQueue.global().asyncAfter(deadline: .now() + 300) { elsewhere.withLock { $0.take() }?.end() }
        let context = StoreContext(delivery: .inline, log: .silent)
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(SKPayment(productIdentifier: "sword"))
        await context.settle()
        let work = elsewhere.withLock { $0.take() }
        #expect(work != nil)
        #expect(queue.transactions.map(\.transactionState) == [.purchasing])
        work?.end()
    }

    @Test(arguments: Conformer.allCases)
    func `B34: Payments added before a store was set go to the first that is`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let context = StoreContext(delivery: .inline, log: .silent)
        let observer = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await context.settle()
        context.backend = world.backend
        await context.settle()
        #expect(context.run { SKPaymentQueue.default() } === queue)
        for product in ["sword", "shield"] {
            #expect(observer.history(of: product).last == .updated(product, .purchased))
        }
        #expect(queue.transactions.map(\.transactionState) == [.purchased, .purchased])
        #expect(queue.transactionObservers.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B36: When the store is replaced the queue keeps its observers and begins with what is unfinished there`(
        conformer: Conformer
    ) async throws {
        let before = try conformer.world(authorizer: .always(.later))
        let after = try conformer.world()
        let shopper = Recorder()
        let shop = await after.observedQueue(shopper)
        await shop.buy("spear")
        let context = context(before)
        let observer = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await context.settle()
        #expect(observer.history == [.updated("sword", .purchasing)])
        context.backend = after.backend
        await context.settle()
        #expect(context.run { SKPaymentQueue.default() } === queue)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("spear", .purchased)])
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["spear"])
        // The store before is silent now.
        try before.store.decide(try #require(before.store.undecidedRequests.first).transaction, as: .approve)
        await before.store.settle()
        queue.add(SKPayment(productIdentifier: "shield"))
        await context.settle()
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing)])
        #expect(observer.history(of: "shield").last == .updated("shield", .purchased))
        #expect(before.store.undecidedRequests.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B69: A transaction of the store before is finished there`(conformer: Conformer) async throws {
        let before = try conformer.world()
        let after = try conformer.world()
        let context = context(before)
        let observer = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await context.settle()
        context.backend = after.backend
        queue.add(SKPayment(productIdentifier: "sword"))
        await context.settle()
        queue.finishTransaction(observer.transactions[0])
        await before.store.settle()
        await context.settle()
        #expect(queue.transactions.count == 1)
        let late = Recorder()
        _ = await before.observedQueue(late)
        #expect(late.history.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B33: What waits for one store is not sold by another`(conformer: Conformer) async throws {
        let before = try conformer.world()
        let after = try conformer.world()
        before.store.isReachable = false
        let context = context(before)
        let observer = Recorder()
        let queues = context.run { [SKPaymentQueue.default(), SKPaymentQueue()] }
        for queue in queues {
            queue.add(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
        }
        await context.settle()
        context.backend = after.backend
        await context.settle()
        #expect(!observer.history.contains(.updated("sword", .purchased)))
        let late = Recorder()
        _ = await after.observedQueue(late)
        #expect(late.history.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B33, B26: After a relaunch the new queue is the context's default one`(conformer: Conformer) async throws {
        let context = context(try conformer.world())
        let observer = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await context.settle()
        let next = queue.relaunch()
        #expect(next !== queue)
        #expect(context.run { SKPaymentQueue.default() } === next)
        #expect(next.transactionObservers.isEmpty)
        let after = Recorder()
        next.add(after)
        await context.settle()
        #expect(after.history == [.updated("sword", .purchased)])
        #expect(Set(after.defaultQueues) == [ObjectIdentifier(next)])
    }

    @Test func `B35: A relaunched queue stays silent when its context's store is replaced`() async throws {
        let before = try Conformer.inProcess.world()
        let after = try Conformer.inProcess.world()
        let context = context(before)
        let old = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(old)
        let next = queue.relaunch()
        let new = Recorder()
        next.add(new)
        context.backend = after.backend
        next.add(SKPayment(productIdentifier: "sword"))
        #expect(old.history.isEmpty)
        #expect(new.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `A client's subclass of the queue inherits the initializer that takes a store`(
        conformer: Conformer
    ) async throws {
        final class Observed: SKPaymentQueue, @unchecked Sendable {
            let observer = Recorder()
            override init() {
                super.init()
                add(observer)
            }
        }
        let world = try conformer.world()
        let queue = Observed(backend: world.backend, delivery: .inline, log: .silent)
        await queue.buy("sword")
        #expect(queue.observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(Set(queue.observer.defaultQueues) == [ObjectIdentifier(queue)])
    }

    @Test func `A queue that is made inside a client's initializer of another stays on its own store`() async throws {
        final class Inner: SKPaymentQueue, @unchecked Sendable {}
        final class Outer: SKPaymentQueue, @unchecked Sendable {
            let inner: SKPaymentQueue
            override init() { inner = Inner() }
        }
        let here = try Conformer.inProcess.world()
        let there = try Conformer.inProcess.world()
        let outer = context(here).run { Outer(backend: there.backend, delivery: .inline, log: .silent) }
        let observer = Recorder()
        outer.add(observer)
        outer.inner.add(SKPayment(productIdentifier: "sword"))
        await outer.buy("shield")
        #expect(observer.history.last == .updated("shield", .purchased))
        #expect(outer.transactions.map(\.payment.productIdentifier) == ["shield"])
        #expect(outer.inner.transactions.map(\.payment.productIdentifier) == ["sword"])
    }
}
