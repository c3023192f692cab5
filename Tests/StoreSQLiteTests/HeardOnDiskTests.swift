import Dispatch
import Foundation
import StoreCore
import StoreSQLite
import Testing

/// What an observer hears is in the files by then, on every lane and every delivery.
@Suite(.sqlite) struct HeardOnDiskTests {
    struct Setup: CustomTestStringConvertible {
        let lane: BackendLane
        let isInline: Bool

        static let all = [BackendLane.caller, .background].flatMap { lane in
            [true, false].map { Setup(lane: lane, isInline: $0) }
        }

        var testDescription: String { "\(lane), \(isInline ? "inline" : "on a queue")" }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Copies the files inside each callback that says something.
    ///
    /// `act` settles after whatever it does, so that nobody writes to the files while they are copied.
    private func copies(
        when line: String,
        _ setup: Setup,
        _ clock: ManualClock = ManualClock(),
        finishes: Bool = false,
        _ act: (Shop) throws -> Void
    ) throws -> [Folder] {
        let copies = Locked<[Folder]>([])
        let shopper = Shopper(
            finishes: finishes,
            onHearing: { [folder] heard in
                guard heard == line, let copy = try? folder.copy() else { return }
                copies.withLock { $0.append(copy) }
            }
        )
        let delivery = setup.isInline ? StoreDelivery.inline : .queue(DispatchQueue(label: "deliveries"))
        let database = try folder.open(lane: setup.lane)
        let shop = try Shop(database, shopper: shopper, clock: clock, delivery: delivery)
        shop.queue.settle()
        try act(shop)
        return copies.withLock { $0 }
    }

    @Test(arguments: Setup.all)
    func `B33: What is heard purchasing while the store is away is in the journal`(setup: Setup) throws {
        let copies = try copies(when: "sword purchasing", setup) { shop in
            shop.store.isReachable = false
            shop.buy("sword")
            shop.queue.settle()
        }
        let next = try Shop(try #require(copies.first).open())
        #expect(next.shopper.history == ["sword purchasing", "sword purchased"])
    }

    @Test(arguments: Setup.all)
    func `B34: What is heard purchased is in the ledger`(setup: Setup) throws {
        let copies = try copies(when: "sword purchased", setup) { shop in
            shop.buy("sword")
            shop.queue.settle()
        }
        let next = try Shop(try #require(copies.first).open())
        #expect(next.shopper.history == ["sword purchased"])
    }

    @Test(arguments: Setup.all)
    func `B34, B98: What is heard restored is in the ledger`(setup: Setup) throws {
        let copies = try copies(when: "full.game restored", setup, finishes: true) { shop in
            shop.buy("full.game")
            shop.queue.settle()
            shop.queue.restoreCompletedTransactions()
            shop.queue.settle()
        }
        let next = try Shop(try #require(copies.first).open())
        #expect(next.shopper.history == ["full.game restored"])
    }

    @Test(arguments: Setup.all)
    func `B176: What is heard revoked is in the ledger`(setup: Setup) throws {
        let copies = try copies(when: "full.game revoked", setup, finishes: true) { shop in
            shop.buy("full.game")
            shop.queue.settle()
            try shop.store.refund(try #require(try shop.store.transactions.first).id)
            shop.queue.settle()
        }
        let next = try Shop(try #require(copies.first).open())
        #expect(next.store.account.entitlements.isEmpty)
        // Nobody was left to say that it was heard.
        #expect(next.shopper.history == ["full.game revoked"])
    }

    @Test(arguments: Setup.all)
    func `B69, B71: What is heard removed is finished in the ledger or the journal`(setup: Setup) throws {
        let clock = ManualClock()
        let copies = try copies(when: "sword removed", setup, clock) { shop in
            for round in 0..<20 {
                shop.buy("sword")
                shop.queue.settle()
                // In every second round the finish is in the journal only.
                shop.store.isReachable = round % 2 == 0
                shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
                shop.queue.settle()
                shop.store.isReachable = true
                clock.advance(by: 600)
            }
        }
        #expect(copies.count == 20)
        for copy in copies { #expect(try Shop(try copy.open()).shopper.history.isEmpty) }
    }
}
