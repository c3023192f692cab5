import Foundation
import ModelSimulator
import StoreCore
import Testing

/// The model explains an honest ledger, and contradicts each mistake in one.
@Suite struct LedgerReplayTests {
    private let shop: ReplayedShop

    init() throws { shop = try ReplayedShop() }

    /// The places of records of a kind.
    private func places(of kind: String) throws -> [Int] {
        try shop.records.enumerated().filter { try $0.element.kind == kind }.map(\.offset)
    }

    @Test func `An honest ledger and its store agree with the model`() throws {
        try shop.trade()
        var replay = try shop.replay()
        try replay.compare(with: shop.store)
        #expect(replay.violations == [])
        for kind in ["sold", "refused", "finished", "restored", "renewed", "ended", "autoRenewal", "signedIn", "owner"]
        { #expect(try !places(of: kind).isEmpty, "\(kind)") }
        let unfinished = try shop.store.transactions.filter { !$0.isFinished }
        #expect(Set(replay.unfinished) == Set(unfinished.map(\.id)))
    }

    @Test(arguments: [
        "accountAdded", "deviceAdded", "signedIn", "sold", "refused", "finished", "restored", "restoreEnded", "renewed",
    ])
    func `A record that is missing is found`(kind: String) throws {
        try shop.trade()
        for place in try places(of: kind) {
            var records = shop.records
            records.remove(at: place)
            var replay = try ReplayedShop.replay(records)
            // A finish that is missing contradicts nothing else, nor does the last renewal.
            try replay.compare(with: shop.store)
            #expect(!replay.violations.isEmpty, "record \(place)")
        }
    }

    @Test(arguments: [
        "accountAdded", "sold", "refused", "finished", "restored", "restoreEnded", "renewed", "ended", "owner",
    ])
    func `A record that comes twice is found`(kind: String) throws {
        try shop.trade()
        for place in try places(of: kind) {
            var records = shop.records
            records.insert(records[place], at: place)
            #expect(try !ReplayedShop.replay(records).violations.isEmpty, "record \(place)")
        }
    }

    @Test func `An order that is sold again under another number is found`() throws {
        try shop.buy("sword", as: 1, on: shop.phone)
        try shop.buy("sword", as: 1, on: shop.phone)
        #expect(try shop.replay().violations == ["record 8 payment 1 was ordered twice"])
    }

    @Test(arguments: ["sold", "renewed"])
    func `A wrong charge is found`(kind: String) throws {
        try shop.trade()
        for place in try places(of: kind) {
            var records = shop.records
            records[place] = try records[place].replacing("\"charge\":", with: "\"charge\":1")
            #expect(try !ReplayedShop.replay(records).violations.isEmpty, "record \(place)")
        }
    }

    @Test func `Another order of sales, finishes and renewals is found`() throws {
        try shop.trade()
        let kinds = ["sold", "finished", "restored", "renewed", "ended"]
        var count = 0
        for place in shop.records.indices.dropLast() {
            var records = shop.records
            // Two finishes of two devices, one beside the other, are the same in either order.
            guard kinds.contains(try records[place].kind), kinds.contains(try records[place + 1].kind) else { continue }
            records.swapAt(place, place + 1)
            count += 1
            #expect(try !ReplayedShop.replay(records).violations.isEmpty, "record \(place)")
        }
        #expect(count > 5)
    }

    @Test func `A renewal that comes late by the clock of the store that decides is found`() throws {
        try shop.buy("gold", as: 1, on: shop.phone)
        shop.store.advance(by: ReplayedShop.period)
        try shop.buy("sword", as: 2, on: shop.phone)
        #expect(try shop.replay().violations == [])
        var records = shop.records
        records.swapAt(records.count - 2, records.count - 1)
        #expect(try ReplayedShop.replay(records).violations.contains { $0.contains("which is due") })
    }

    @Test func `A renewal by a clock that is ahead, before sales with earlier dates, is none of its mistakes`() throws {
        let late = ManualClock()
        let early = ManualClock(startingAt: late.now + 5.5 * ReplayedShop.period)
        let rate = RenewalRate.everyPeriod(.minute)
        let ledger = MemoryLedger()
        let here = try SandboxStore(products: ReplayedShop.products, clock: late, ledger: ledger, renewalRate: rate)
        let there = try SandboxStore(clock: early, ledger: ledger, renewalRate: rate)
        for (number, (store, product)) in [(here, "basic"), (there, "sword"), (here, "gold"), (there, "game")]
            .enumerated()
        {
            let payment = StorePayment(productIdentifier: product, applicationUsername: "\(number)")
            let id = OrderID(journal: JournalID(rawValue: 1), number: number + 1)
            store.device.submit([StoreCommand(id: id, action: .purchase(payment))]) { _ in }
        }
        var replay = try LedgerReplay(of: ledger, periodLength: ReplayedShop.period)
        try replay.compare(with: there)
        #expect(replay.violations == [])
        #expect(try there.transactions.count { $0.origin == .renewal } > 5)
    }

    @Test func `A record that the model does not know is found`() throws {
        try shop.store.account.setAsksToBuy(true)
        #expect(try shop.replay().violations.count == 1)
    }

    @Test func `A store that has something else than its ledger is found`() throws {
        try shop.trade()
        var replay = try shop.replay()
        try shop.buy("sword", as: 20, on: shop.phone)
        try replay.compare(with: shop.store)
        #expect(replay.violations.count == 3)
        replay = try shop.replay()
        _ = try shop.store.addAccount("eve")
        try replay.compare(with: shop.store)
        #expect(replay.violations.count == 1)
        replay = try shop.replay()
        shop.store.advance(by: ReplayedShop.period)
        try replay.compare(with: shop.store)
        #expect(!replay.violations.isEmpty)
    }
}
