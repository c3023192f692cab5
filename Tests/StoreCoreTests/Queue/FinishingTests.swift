import Dispatch
import Foundation
import StoreCore
import Testing

@Suite struct FinishingTests {
    @Test(arguments: Conformer.allCases)
    func `B51, B69: Finishing takes the transaction off the list, and observers hear that it was removed`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let removed = Locked<[ObjectIdentifier]>([])
        let observer = Recorder(onRemoval: { queue, transactions in
            removed.withLock { $0 += transactions.map { ObjectIdentifier($0) } }
            #expect(queue.transactions.isEmpty)
        })
        let queue = await world.observedQueue(observer)
        await queue.buy("sword")
        let transaction = try #require(queue.transactions.first)
        queue.finishTransaction(transaction)
        #expect(queue.transactions.isEmpty)
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")])
        #expect(removed.withLock { $0 } == [ObjectIdentifier(transaction)])
    }

    @Test(arguments: Conformer.allCases)
    func `B73: Failed and restored transactions are finished like purchased ones`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        await queue.buy("swrod")
        await queue.restore()
        #expect(
            observer.history(of: "swrod")
                == [.updated("swrod", .purchasing), .updated("swrod", .failed), .removed("swrod")]
        )
        #expect(observer.history(of: "full.game") == [.updated("full.game", .restored), .removed("full.game")])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B31, B69: What is finished before observers are told of it is told as removed only`() throws {
        let backend = ScriptedBackend()
        let turns = Locked<[@Sendable () -> Void]>([])
        let queue = SKPaymentQueue(
            backend: backend,
            delivery: .scheduler { turn in turns.withLock { $0.append(turn) } },
            log: .silent
        )
        let observer = Recorder()
        queue.add(observer)
        backend.send(after: nil, through: .at(5), .transaction("77", .purchased))
        let transaction = try #require(queue.transactions.first)
        #expect(transaction.transactionState == .purchased && observer.history.isEmpty)
        queue.finishTransaction(transaction)
        while let turn = turns.withLock({ $0.popLast() }) { turn() }
        #expect(observer.history == [.removed("sword")])
    }

    @Test(arguments: Conformer.allCases)
    func `B43: Finishing twice, or by several observers, removes once`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observers = [Recorder.finishing(), Recorder.finishing(), Recorder.finishing()]
        let queue = world.queue()
        for observer in observers { queue.add(observer) }
        await queue.buy("sword")
        let transaction = try #require(observers[0].transactions.first)
        queue.finishTransaction(transaction)
        try queue.finishThrowing(transaction)
        await queue.settle()
        for observer in observers { #expect(observer.history.filter { $0 == .removed("sword") }.count == 1) }
    }

    @Test(arguments: Conformer.allCases)
    func `B69: The transaction keeps what it says after it was finished`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        await queue.buy("sword")
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.transactionState == .purchased)
        #expect(transaction.transactionIdentifier != nil)
        #expect(transaction.payment.productIdentifier == "sword")
    }

    @Test(arguments: Conformer.allCases)
    func `B71: A finished purchase is not told of again`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        await queue.buy("sword")
        queue.remove(observer)
        let later = Recorder()
        queue.add(later)
        await queue.settle()
        #expect(later.history.isEmpty)
    }

    @Test func `B69: Finishing a transaction that belongs to no queue does nothing but log a line`() async throws {
        let log = LogRecorder()
        let observer = Recorder()
        let queue = await (try Conformer.inProcess.world()).observedQueue(observer, log: log.log)
        let stranger = SKPaymentTransaction(
            payment: SKPayment(productIdentifier: "sword"),
            transactionState: .purchased,
            transactionIdentifier: "0"
        )
        queue.finishTransaction(stranger)
        try queue.finishThrowing(SKPaymentTransaction())
        await queue.settle()
        #expect(observer.history.isEmpty)
        #expect(log.lines.count == 2)
        #expect(log.lines.allSatisfy { $0.contains("belongs to no queue") })
    }

    @Test(arguments: Conformer.allCases)
    func `B69: Whichever queue is asked, a transaction's own finishes it`(conformer: Conformer) async throws {
        let here = try conformer.world()
        let there = try conformer.world()
        let observer = Recorder()
        let other = Recorder()
        let queue = await here.observedQueue(observer)
        let otherQueue = await there.observedQueue(other)
        queue.add(SKPayment(productIdentifier: "sword"))
        otherQueue.add(SKPayment(productIdentifier: "sword"))
        await queue.settle()
        await otherQueue.settle()
        otherQueue.finishTransaction(try #require(observer.transactions.first))
        await queue.settle()
        await otherQueue.settle()
        #expect(observer.history.last == .removed("sword"))
        #expect(queue.transactions.isEmpty)
        #expect(other.history.last == .updated("sword", .purchased))
        #expect(otherQueue.transactions.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B59: The original of a restored transaction cannot be finished`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let log = LogRecorder()
        let observer = Recorder()
        let queue = await world.observedQueue(observer, log: log.log)
        await queue.restore()
        let original = try #require(observer.transactions.first?.original)
        queue.finishTransaction(original)
        await queue.settle()
        #expect(observer.history == [.updated("full.game", .restored), .restoreFinished])
        #expect(queue.transactions.count == 1)
        #expect(log.lines.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B70: The throwing form refuses a transaction that is still purchasing, which stays as it is`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        let transaction = try #require(queue.transactions.first)
        let error = #expect(throws: SKError.self) { try queue.finishThrowing(transaction) }
        #expect(error?.code == .clientInvalid)
        #expect((error?.userInfo[StoreFailure.reasonKey] as? String)?.contains("sword") == true)
        #expect(queue.transactions.count == 1)
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        try queue.finishThrowing(transaction)
        await queue.settle()
        #expect(observer.history.last == .removed("sword"))
    }

    @Test(arguments: Conformer.allCases)
    func `B152: A transaction that waits for somebody else is left alone, with a line in the log`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.askToBuy))
        let log = LogRecorder()
        let observer = Recorder()
        let queue = await world.observedQueue(observer, log: log.log)
        await queue.buy("sword")
        let transaction = try #require(queue.transactions.first)
        queue.finishTransaction(transaction)
        #expect(throws: SKError.self) { try queue.finishThrowing(transaction) }
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .deferred)])
        #expect(queue.transactions.count == 1)
        #expect(log.lines.count == 1)
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(observer.history.last == .updated("sword", .purchased))
    }

    @Test func `B152: Finishing what was last seen deferred does not lose an approval not yet told of`() async throws {
        let world = try Conformer.inProcess.world(authorizer: .always(.askToBuy))
        let deliveries = DispatchQueue(label: "deliveries")
        let observer = Recorder()
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        await queue.buy("sword")
        let transaction = try #require(queue.transactions.first)
        deliveries.suspend()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        #expect(transaction.transactionState == .deferred)
        queue.finishTransaction(transaction)
        deliveries.resume()
        await queue.settle()
        #expect(observer.history.last == .updated("sword", .purchased))
        #expect(queue.transactions.count == 1)
    }
}
