import Foundation
import StoreCore
import Testing

@Suite struct LedgerFailureTests {
    private let ledger = FailingLedger()
    private let receiver = UpdateRecorder()

    private func store(_ authorizer: Authorizer = .approving) throws -> SandboxStore {
        try Conformer.inProcess.world(authorizer: authorizer, ledger: ledger).store
    }

    @Test func `A submission is appended and committed once, and each command sees the ones before it`() throws {
        let store = try store()
        store.connect(receiver, after: nil)
        let before = ledger.writes
        #expect(store.submit(receiver.commands(.buy("full.game"), .buy("sword"), .buy("swrod"))) == .taken)
        #expect(ledger.writes == before.map { $0 + 1 })
        let more = receiver.commands(.finish(transaction: "1"), .restore(applicationUsername: nil))
        #expect(store.submit(more) == .taken)
        #expect(ledger.writes == before.map { $0 + 2 })
        #expect(receiver.transactions == ["1 purchased", "2 purchased", "3 failed", "4 restored"])
        // What is asked again is not written again.
        #expect(store.submit(more) == .taken)
        #expect(ledger.writes == before.map { $0 + 2 })
    }

    @Test(arguments: [FailingLedger.Act.append, .commit])
    func `B34: What can be neither written nor read back leaves the store as it was`(act: FailingLedger.Act) throws {
        let store = try store(.always(.later))
        store.connect(receiver, after: nil)
        #expect(store.submit(receiver.commands(.buy("shield"))) == .taken)
        let known = store.undecidedRequests
        ledger.failing = act
        ledger.isReadable = false
        let commands = receiver.commands(.buy("full.game"), .buy("sword"), .buy("spear"))
        // Not that it cannot be read, which came of it.
        #expect(store.submit(commands) == .tryLater(.storeKit(.unknown, "the disk is full")))

        let unreadable = StoreFailure.storeKit(.unknown, "the disk is unreadable")
        #expect(store.submit(commands) == .tryLater(unreadable))
        #expect(store.sells("sword") == nil && store.products(["sword"]) == .failure(unreadable))
        #expect(throws: unreadable) { try store.setPaymentsAllowed(false) }
        let late = UpdateRecorder()
        store.connect(late, after: nil)
        #expect(late.losses == [unreadable] && late.batches.isEmpty)
        #expect(
            store.undecidedRequests == known && store.canMakePayments && store.reasonForInvalidity(of: "sword") == nil
        )

        ledger.repair()
        #expect(store.sells("sword") == true)
        #expect(store.submit(commands) == .taken)
        #expect(receiver.transactions == (1...4).map { "\($0) purchasing" })
        #expect(store.undecidedRequests.map(\.productIdentifier) == ["shield", "full.game", "sword", "spear"])
    }

    @Test(arguments: [FailingLedger.Act.append, .commit])
    func `B34: A queue that asks before a failure has been taken back is told nothing`(act: FailingLedger.Act) throws {
        let store = try store()
        let here = UpdateReader(store)
        let there = UpdateReader(try store.addDevice("tablet", signedInTo: store.account))
        here.read()
        there.read()
        ledger.failing = act
        ledger.isReadable = false
        let commands = receiver.commands(.buy("sword"), .buy("shield"))
        #expect(here.read(commands) == [] && here.isRefused)
        #expect(there.read() == [])
        #expect(!here.isLost && !there.isLost)
        // Another store on the ledger sells meanwhile.
        ledger.repair()
        #expect(try self.store().submit(UpdateRecorder().commands(.buy("spear"))) == .taken)
        #expect(store.sells("sword") == true)
        #expect(here.rings == 1)
        #expect(here.read() == ["spear"])
        #expect(here.read(commands) == ["sword", "shield"])
        #expect(there.read() == [])
        #expect(try store.transactions.map(\.productIdentifier) == ["spear", "sword", "shield"])
    }

    @Test func `A submission of several commands that meets another store's is decided again`() throws {
        let (here, there) = try (store(), store())
        here.connect(receiver, after: nil)
        #expect(there.submit(UpdateRecorder().commands(.buy("spear"))) == .taken)
        #expect(here.submit(receiver.commands(.buy("sword"), .buy("shield"))) == .taken)
        #expect(receiver.transactions == ["1 purchased", "2 purchased", "3 purchased"])
        #expect(receiver.batches.flatMap(\.updates).count == 3)
    }

    @Test func `A store notices what another on its ledger appended when it is next used`() throws {
        let (here, there) = try (store(.always(.later)), store(.always(.later)))
        try there.register(.consumable("axe", price: "0.49"))
        #expect(here.sells("axe") == true)
        try there.register(.consumable("bow", price: "0.49"))
        #expect(try here.products(["bow"])?.get().products.count == 1)
        try there.setAvailability(.withdrawn, of: "bow")
        #expect(here.reasonForInvalidity(of: "bow") != nil)
        try there.setPaymentsAllowed(false)
        #expect(!here.canMakePayments)
        try there.setPaymentsAllowed(true)
        here.connect(receiver, after: nil)
        let other = UpdateRecorder()
        #expect(there.submit(other.commands(.buy("sword"))) == .taken)
        #expect(receiver.transactions.isEmpty)
        #expect(here.undecidedRequests.count == 1)
        #expect(receiver.transactions == ["1 purchasing"])
        #expect(there.submit(other.commands(.buy("shield"))) == .taken)
        try here.decide("2", as: .approve)
        #expect(receiver.transactions == ["1 purchasing", "2 purchasing", "2 purchased"])
        #expect(there.submit(other.commands(.buy("spear"))) == .taken)
        let late = UpdateRecorder()
        here.connect(late, after: nil)
        #expect(late.transactions == ["1 purchasing", "2 purchased", "3 purchasing"])
    }

    @Test func `What is read back later is told as it was, and only the last word says decided`() throws {
        let store = try store(.always(.askToBuy))
        store.connect(receiver, after: nil)
        let start = receiver.cursor
        store.disconnect(receiver)
        let buyer = UpdateRecorder()
        #expect(store.submit(buyer.commands(.buy("sword"), .buy("shield"))) == .taken)
        for request in store.undecidedRequests { try store.decide(request.transaction, as: .approve) }
        store.connect(receiver, after: start)
        let past = ["1 purchasing", "2 purchasing", "1 deferred", "2 deferred", "1 purchased", "2 purchased"]
        #expect(receiver.transactions == past)
        #expect(store.submit(buyer.commands(.finish(transaction: "1"))) == .taken)
        receiver.clear()
        store.connect(receiver, after: start)
        #expect(receiver.transactions == ["2 purchasing", "2 deferred", "2 purchased"])
    }

    @Test func `What an authorizer said is written as soon as the ledger can be`() throws {
        let asked = Locked<[String]>([])
        let store = try store(
            Authorizer { [ledger] request in
                asked.withLock { $0.append(request.productIdentifier) }
                if request.productIdentifier != "spear" { ledger.failing = .commit }
                return request.productIdentifier == "shield" ? .cancel : .approve
            }
        )
        store.connect(receiver, after: nil)
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(receiver.transactions == ["1 purchasing"])
        #expect(store.submit(receiver.commands(.buy("shield"))) != .taken)
        ledger.repair()
        #expect(store.submit(receiver.commands(.buy("shield"))) == .taken)
        #expect(receiver.transactions == ["1 purchasing", "1 purchased", "2 purchasing"])
        ledger.repair()
        store.connect(receiver, after: receiver.cursor)
        #expect(receiver.transactions.suffix(1) == ["2 failed"])
        #expect(store.undecidedRequests.isEmpty)
        #expect(asked.withLock { $0 } == ["sword", "shield"])
    }

    @Test func `Nobody was asked about an order when the store died: the next one asks`() throws {
        do {
            let authorizer = Authorizer { [ledger] request in
                if request.productIdentifier == "sword" { return .later }
                ledger.failing = .append
                return .cancel
            }
            let store = try store(authorizer)
            #expect(store.submit(UpdateRecorder().commands(.buy("sword"), .buy("shield"))) == .taken)
        }
        ledger.repair()
        let asked = Locked<[String]>([])
        let authorizer = Authorizer.noting { request in asked.withLock { $0.append(request.productIdentifier) } }
        let reopened = try store(authorizer)
        #expect(asked.withLock { $0 } == ["shield"])
        #expect(reopened.undecidedRequests.map(\.productIdentifier) == ["sword"])
        reopened.connect(receiver, after: nil)
        #expect(receiver.transactions == ["1 purchasing", "2 purchased"])
        _ = try store(authorizer)
        #expect(asked.withLock { $0 } == ["shield"])
    }

    @Test func `A ledger that gives nothing back ends the connection`() throws {
        let store = try store()
        ledger.hidesRecords = true
        store.connect(receiver, after: UpdateCursor(position: 0))
        #expect(receiver.losses.count == 1)
        ledger.repair()
        #expect(store.submit(UpdateRecorder().commands(.buy("sword"))) == .taken)
        // It has to connect again.
        #expect(receiver.batches.isEmpty)
        store.connect(receiver, after: UpdateCursor(position: 0))
        #expect(receiver.transactions == ["1 purchased"])
    }

    @Test func `A ledger that takes nothing and gives nothing does not hold anybody up`() throws {
        let (store, other) = try (store(), store())
        #expect(other.submit(UpdateRecorder().commands(.buy("sword"))) == .taken)
        ledger.hidesRecords = true
        #expect(store.submit(receiver.commands(.buy("sword"))) != .taken)
        ledger.repair()
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
    }

    @Test func `The first transaction is number 1, and has no other spelling`() throws {
        let store = try store(.always(.later))
        #expect(store.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(store.undecidedRequests.map(\.transaction) == ["1"])
        for spelling in ["+1", "01", "0", "", " 1"] {
            #expect(throws: SandboxError(.notUndecided(spelling))) { try store.decide(spelling, as: .approve) }
        }
        try store.decide("1", as: .approve)
        #expect(store.receipt(forTransaction: "1") != nil && store.receipt(forTransaction: "+1") == nil)
        #expect(store.receipt(forTransaction: "01") == nil && store.receipt(forTransaction: "-1") == nil)
        #expect(store.submit(receiver.commands(.finish(transaction: "+1"), .finish(transaction: "01"))) == .taken)
        #expect(store.receipt(forTransaction: "1") != nil)
    }

    @Test func `What waits for a decision is listed in its order, whatever is taken out of it`() throws {
        let store = try store(.always(.later))
        for _ in 1...700 { #expect(store.submit(receiver.commands(.buy("sword"))) == .taken) }
        let numbers = store.undecidedRequests.compactMap { Int($0.transaction) }
        #expect(numbers == Array(1...700))
        for number in numbers where number % 3 != 0 { try store.decide(String(number), as: .approve) }
        #expect(store.undecidedRequests.compactMap { Int($0.transaction) } == numbers.filter { $0 % 3 == 0 })
    }
}
