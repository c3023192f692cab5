import Foundation
import StoreCore
import TestSupport
import Testing

@Suite struct LedgerTests {
    private let ledger = MemoryLedger()

    private func world(_ authorizer: Authorizer = .approving) throws -> World {
        try Conformer.inProcess.world(authorizer: authorizer, ledger: ledger)
    }

    @Test func `B34: A store opened again on its ledger is the same store`() async throws {
        let before = try world(.always(.later))
        let (shop, shopper) = await before.observedQueue()
        for product in ["full.game", "sword", "shield", "swrod"] { shop.add(SKPayment(productIdentifier: product)) }
        for request in before.store.undecidedRequests.prefix(2) {
            try before.store.decide(request.transaction, as: .approve)
        }
        shop.finishTransaction(try #require(shopper.transactions.first))
        try before.store.setAvailability(.withdrawn, of: "spear")
        try before.store.register(.consumable("axe", price: "0.49"))
        try before.store.setPaymentsAllowed(false)
        let after = try world()
        #expect(after.store.undecidedRequests == before.store.undecidedRequests && after.store.sells("spear") == false)
        #expect(after.store.sells("axe") == true && !after.store.canMakePayments)
        let (queue, observer) = await after.observedQueue()
        let states = [("sword", SKPaymentTransactionState.purchased), ("shield", .purchasing), ("swrod", .failed)]
        #expect(observer.history == states.map { Heard.updated($0, $1) })
        let numbers = shopper.transactions.dropFirst().map(\.transactionIdentifier)
        #expect(observer.transactions.map(\.transactionIdentifier) == numbers)
        queue.restoreCompletedTransactions()
        #expect(observer.history.suffix(2) == [.updated("full.game", .restored), .restoreFinished])
    }

    @Test func `B33: A reopened store knows which commands it has taken`() async throws {
        let backend = SpoilingBackend(try world().store)
        let journal = MemoryJournal()
        let first = SKPaymentQueue.observed(by: Recorder(), on: backend, journal: journal)
        backend.fate = .loseAnswer
        first.add(SKPayment(productIdentifier: "full.game"))
        #expect(journal.commands.count == 1)
        let observer = Recorder.finishing()
        let queue = try await world().observedQueue(observer, journal: journal)
        await queue.settle()
        #expect(journal.commands.isEmpty && observer.transactions.count == 1)
        queue.restoreCompletedTransactions()
        #expect(observer.history.filter { $0 == .updated("full.game", .restored) }.count == 1)
    }

    @Test func `B36: Two stores on one ledger see what happens in either`() async throws {
        let (here, there) = try (world(), world())
        let (queue, first) = await here.observedQueue()
        let (other, second) = await there.observedQueue()
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(first.history.last == .updated("sword", .purchased))
        other.add(SKPayment(productIdentifier: "shield"))
        #expect(second.history(of: "shield").last == .updated("shield", .purchased))
        #expect(second.history(of: "sword").last == .updated("sword", .purchased))
        queue.add(SKPayment(productIdentifier: "spear"))
        #expect(first.history(of: "shield").last == .updated("shield", .purchased))
        #expect(Set(first.transactions.map(\.transactionIdentifier)).count == 3)
        #expect(queue.transactions.count == 3)
    }

    @Test func `B106: A conflict with another store on the ledger is decided again, and charged once`() async throws {
        let totals = Locked<[Decimal]>([])
        let authorizer = Authorizer.noting { request in totals.withLock { $0.append(request.total) } }
        let (here, there) = try (world(authorizer), world(authorizer))
        let (queue, first) = await here.observedQueue()
        let (other, second) = await there.observedQueue()
        queue.add(SKPayment(productIdentifier: "full.game"))
        other.add(SKPayment(productIdentifier: "full.game"))
        #expect(first.history(of: "full.game").last == .updated("full.game", .purchased))
        #expect(totals.withLock { $0 } == [amount("4.99"), 0])
        #expect(second.history(of: "full.game").last == .updated("full.game", .purchased))
    }

    @Test func `B63: Stores that sell at once from one ledger give no identifier twice`() async throws {
        let worlds = try (0..<3).map { _ in try world() }
        let observers = worlds.map { _ in Recorder() }
        var queues: [SKPaymentQueue] = []
        for (world, observer) in zip(worlds, observers) { queues.append(await world.observedQueue(observer)) }
        await onThreads(3) { [queues] index in
            for _ in 1...40 { queues[index].add(SKPayment(productIdentifier: "sword")) }
        }
        let (queue, late) = try await world().observedQueue()
        #expect(late.transactions.count == 120 && Set(late.transactions.map(\.transactionIdentifier)).count == 120)
        #expect(queue.transactions.allSatisfy { $0.transactionState == .purchased })
    }

    @Test(arguments: [FailingLedger.Act.append, .commit])
    func `B34: While the ledger takes nothing everything waits; none is lost`(act: FailingLedger.Act) async throws {
        let ledger = FailingLedger()
        let world = try Conformer.inProcess.world(ledger: ledger)
        let (queue, observer) = await world.observedQueue()
        queue.add(SKPayment(productIdentifier: "full.game"))
        #expect(observer.history.last == .updated("full.game", .purchased))
        ledger.failing = act
        let head = ledger.head
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.finishTransaction(try #require(observer.transactions.first))
        await queue.settle()
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing)])
        #expect(observer.history.last == .removed("full.game") && ledger.head == head)
        #expect(throws: StoreFailure.self) { try world.store.setPaymentsAllowed(false) }
        #expect(world.store.canMakePayments)
        #expect(throws: StoreFailure.self) { try world.store.register(.consumable("axe", price: "1")) }
        #expect(world.store.sells("axe") == false)
        ledger.failing = nil
        await world.advance(by: 60)
        #expect(observer.history.last == .updated("sword", .purchased))
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword"])
        let late = try await Conformer.inProcess.world(ledger: ledger).observedQueue().1
        #expect(late.history == [.updated("sword", .purchased)])
    }

    @Test func `B100: A restore that the ledger cannot take fails`() async throws {
        let ledger = FailingLedger()
        let world = try Conformer.inProcess.world(ledger: ledger)
        await world.buyAndFinish("full.game")
        let (queue, observer) = await world.observedQueue()
        ledger.failing = .append
        await queue.restore()
        #expect(observer.history == [.restoreFailed(.storeKit(.unknown))])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B34: A decision that the ledger cannot keep can be made again`() async throws {
        let ledger = FailingLedger()
        let world = try Conformer.inProcess.world(authorizer: .always(.later), ledger: ledger)
        let (queue, observer) = await world.observedQueue()
        queue.add(SKPayment(productIdentifier: "sword"))
        let request = try #require(world.store.undecidedRequests.first)
        ledger.failing = .commit
        #expect(throws: StoreFailure.self) { try world.store.decide(request.transaction, as: .approve) }
        #expect(world.store.undecidedRequests == [request] && observer.history == [.updated("sword", .purchasing)])
        ledger.failing = nil
        try world.store.decide(request.transaction, as: .approve)
        #expect(observer.history.last == .updated("sword", .purchased) && queue.transactions.count == 1)
    }

    @Test func `A ledger in memory appends only behind its end, and reads in pieces`() async throws {
        try await world().buyAndFinish("sword", "shield", "full.game")
        let records = ledger.read(after: 0, limit: .max >> 1)
        #expect(records.count == ledger.head)
        let copy = MemoryLedger()
        #expect(copy.append(records, ifHeadIs: 0))
        #expect(!copy.append(records, ifHeadIs: 0))
        #expect(copy.head == records.count)
        #expect(copy.read(after: 1, limit: 2) == Array(records[1..<3]))
        #expect(copy.read(after: records.count, limit: 10).isEmpty)
        #expect(try JSONDecoder().decode([LedgerRecord].self, from: JSONEncoder().encode(records)) == records)
    }
}
