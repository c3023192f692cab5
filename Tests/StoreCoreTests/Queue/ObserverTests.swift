import Dispatch
import Foundation
import StoreCore
import Testing

@Suite struct ObserverTests {
    @Test(arguments: Conformer.allCases)
    func `B20, B41, B47: All observers are told of updates and removals`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observers = [Recorder(), Recorder.finishing(), Recorder()]
        let queue = world.queue()
        for observer in observers { queue.add(observer) }
        await queue.buy("sword")
        for observer in observers {
            #expect(
                observer.history
                    == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")]
            )
            #expect(observer.transactions.first === observers[0].transactions.first)
        }
        await queue.buy("swrod")
        for observer in observers {
            #expect(
                observer.history(of: "swrod")
                    == [.updated("swrod", .purchasing), .updated("swrod", .failed), .removed("swrod")]
            )
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B40: An observer that was removed hears nothing more`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let staying = Recorder()
        let leaving = Recorder()
        let queue = await world.observedQueue(staying)
        queue.add(leaving)
        await queue.buy("sword")
        queue.remove(leaving)
        await queue.buy("shield")
        #expect(leaving.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(staying.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B40, B155: The list of observers has those that are attached, each once`(conformer: Conformer) async throws {
        let queue = try conformer.world().queue()
        let first = Recorder()
        let second = Recorder()
        #expect(queue.transactionObservers.isEmpty)
        queue.add(first)
        queue.add(second)
        queue.add(first)
        #expect(Set(queue.transactionObservers.map { ObjectIdentifier($0) }) == [first, second].identities)
        #expect(queue.transactionObservers.count == 2)
        queue.remove(first)
        queue.remove(first)
        #expect(queue.transactionObservers.map { ObjectIdentifier($0) } == [ObjectIdentifier(second)])
    }

    @Test(arguments: Conformer.allCases)
    func `B40: An observer that was added twice hears everything once`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        queue.add(observer)
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B49: Each callback has the queue itself, which is the default one meanwhile`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.restore()
        #expect(observer.queues.count >= 4)
        #expect(Set(observer.queues) == [ObjectIdentifier(queue)])
        #expect(Set(observer.defaultQueues) == [ObjectIdentifier(queue)])
    }

    @Test(arguments: Conformer.allCases)
    func `B48: Only the update message has to be implemented`(conformer: Conformer) async throws {
        final class Smallest: NSObject, SKPaymentTransactionObserver {
            let updates = Locked(0)
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                updates.withLock { $0 += transactions.count }
                for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
            }
        }
        let world = try conformer.world()
        let observer = Smallest()
        let queue = await world.observedQueue(observer)
        await queue.buy("full.game")
        await queue.restore()
        world.store.isReachable = false
        await queue.restore()
        #expect(observer.updates.withLock { $0 } == 3)
    }

    @Test(arguments: Conformer.allCases)
    func `B155: The queue does not keep an observer alive`(conformer: Conformer) async throws {
        let queue = try conformer.world().queue()
        let gone = Signal()
        do {
            let observer = Recorder(gone: gone)
            queue.add(observer)
            await queue.settle()
            #expect(queue.transactionObservers.count == 1)
        }
        await gone.wait()
        #expect(queue.transactionObservers.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B155, W6: When the last observer was deallocated the log says so once, and what comes waits for the next`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let log = LogRecorder()
        let queue = world.queue(log: log.log)
        let gone = Signal()
        do {
            let observer = Recorder(gone: gone)
            queue.add(observer)
            await queue.buy("sword")
            #expect(observer.history == [.updated("sword", .purchasing)])
        }
        await gone.wait()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("observer") == true)
        await queue.buy("shield")
        #expect(log.lines.count == 1)
        let next = Recorder()
        queue.add(next)
        await queue.settle()
        #expect(next.history(of: "sword") == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(log.lines.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B22, B155: Nothing is bought while the only observer is one that was deallocated`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let queue = world.queue()
        await leaveObserverBehind(on: queue)
        await queue.buy("sword")
        #expect(try world.store.transactions.isEmpty)
        let next = Recorder()
        queue.add(next)
        await queue.settle()
        #expect(next.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B99, B155: A restore whose observer was deallocated ends for the next one`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let queue = world.queue()
        await leaveObserverBehind(on: queue)
        await queue.restore()
        let next = Recorder()
        queue.add(next)
        await queue.settle()
        #expect(next.history == [.updated("full.game", .restored), .restoreFinished])
    }

    @Test(arguments: Conformer.allCases)
    func `B37, B155: What the store sends to a deallocated observer waits for the next one`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let queue = world.queue()
        await leaveObserverBehind(on: queue, buying: "sword")
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(queue.transactions.map(\.transactionState) == [.purchasing])
        let next = Recorder()
        queue.add(next)
        await queue.settle()
        #expect(next.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test func `B38, B155: An observer that comes while a deallocated one is noticed hears of what is unfinished`()
        async throws
    {
        let next = Recorder()
        let watched = Locked<SKPaymentQueue?>(nil)
        // The line comes when the observer has been noticed, and before the queue has drawn its conclusions.
        let queue = try Conformer.inProcess.world().queue(log: StoreLog { _ in watched.withLock { $0 }?.add(next) })
        await leaveObserverBehind(on: queue, buying: "sword")
        watched.withLock { $0 = queue }
        await queue.restore()
        #expect(next.history == [.updated("sword", .purchased), .restoreFinished])
        watched.withLock { $0 = nil }
    }

    @Test(arguments: Conformer.allCases)
    func `B155: A deallocated observer beside one that lives changes nothing`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let staying = Recorder()
        let queue = world.queue()
        await leaveObserverBehind(on: queue)
        queue.add(staying)
        await leaveObserverBehind(on: queue)
        await queue.buy("sword")
        #expect(staying.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    /// Adds an observer to a queue and lets go of it.
    private func leaveObserverBehind(on queue: SKPaymentQueue, buying product: String? = nil) async {
        let gone = Signal()
        do {
            let observer = Recorder(gone: gone)
            queue.add(observer)
            if let product { queue.add(SKPayment(productIdentifier: product)) }
            await queue.settle()
        }
        await gone.wait()
    }

    @Test(arguments: Conformer.allCases)
    func `B38, B155: An observer that follows a vanished one hears of what is unfinished`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let queue = world.queue()
        let gone = Signal()
        do {
            let observer = Recorder(gone: gone)
            queue.add(observer)
            await queue.buy("sword")
            #expect(observer.history.last == .updated("sword", .purchased))
        }
        await gone.wait()
        // Nothing happened since: the queue cannot have noticed.
        let next = Recorder()
        queue.add(next)
        await queue.settle()
        #expect(next.history == [.updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B37: Without observers the queue does not follow its store`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        queue.remove(observer)
        await queue.settle()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(queue.transactions.map(\.transactionState) == [.purchasing])
        #expect(observer.history == [.updated("sword", .purchasing)])
        observer.clear()
        queue.add(observer)
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B38, B154: What is unfinished comes again whenever a first observer comes, failed ones included`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        for product in ["sword", "swrod", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        for _ in 1...3 {
            queue.remove(observer)
            observer.clear()
            queue.add(observer)
            await queue.settle()
            #expect(
                observer.history
                    == [.updated("sword", .purchased), .updated("swrod", .failed), .updated("shield", .purchased)]
            )
        }
        #expect(observer.transactions.count == 3)
    }

    @Test(arguments: Conformer.allCases)
    func `B154: What is unfinished comes again when the app comes to the front, and what is finished does not`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        for product in ["sword", "swrod", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        queue.finishTransaction(try #require(observer.transactions.last))
        await queue.settle()
        observer.clear()
        for count in 1...2 {
            queue.comeToFront()
            await queue.settle()
            let again: [Heard] = [.updated("sword", .purchased), .updated("swrod", .failed)]
            #expect(observer.history == Array(repeating: again, count: count).flatMap(\.self))
        }
        queue.remove(observer)
        queue.comeToFront()
        await queue.settle()
        #expect(observer.history.count == 4)
    }

    @Test(arguments: Conformer.allCases)
    func `B38: A second observer is not told again of what the first has heard`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, first) = await world.observedQueue()
        await queue.buy("sword")
        let second = Recorder()
        queue.add(second)
        await queue.settle()
        #expect(second.history.isEmpty)
        #expect(first.history.count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B99: A restore that was asked for without an observer, or after one came back, still ends`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let observer = Recorder()
        let queue = world.queue()
        queue.restoreCompletedTransactions()
        queue.add(observer)
        await queue.settle()
        #expect(observer.history == [.restoreFinished])
        queue.remove(observer)
        await queue.settle()
        queue.add(observer)
        await queue.settle()
        await queue.restore()
        #expect(observer.history == [.restoreFinished, .restoreFinished])
    }
}

extension [Recorder] {
    fileprivate var identities: Set<ObjectIdentifier> { Set(map { ObjectIdentifier($0) }) }
}
