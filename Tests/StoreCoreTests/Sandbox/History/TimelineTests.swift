import Foundation
import StoreCore
import Testing

/// A store says what happened in it.
@Suite struct TimelineTests {
    @Test func `Every decision is a line, and a refusal names the code and the rule`() throws {
        let (market, app) = try Market.withApp()
        app.buy("sword", quantity: 2)
        app.buy("dragon")
        let lines = try market.store.timeline.entries.filter { $0.transaction != nil }
        #expect(lines.map(\.transaction) == ["1", "1", "2", "2"])
        #expect(lines.map(\.what) == ["sold for 1.98", "finished", "refused", "finished"])
        #expect(lines.allSatisfy { $0.account == "account" && $0.device == "device" })
        #expect(lines[0].order?.number == 1 && lines[0].quantity == 2)
        #expect(lines[2].refusal?.code == SKError.Code.paymentInvalid.rawValue)
        #expect(try "\(market.store.timeline)".contains("refused, paymentInvalid: "))
    }

    @Test func `It is printed in columns, in the store's time`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        let app = App(on: market.store)
        market.clock.advance(by: 90)
        app.buy("sword", quantity: 2)
        #expect(
            try "\(market.store.timeline)" == """
                2025-01-01 00:00:00                       sword      registered
                2025-01-01 00:01:30  account  device  #1  2 × sword  sold for 1.98 (order 1)
                2025-01-01 00:01:30  account  device  #1  2 × sword  finished (order 2)
                """
        )
    }

    @Test func `Renewals, restores, accounts and devices are in it`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game", "gold.monthly")
        try market.at("2025-02-02T00:00:00Z").store.account.setAutoRenew(false, inGroup: "metals")
        app.restore()
        try market.store.device.signIn(to: try market.store.addAccount("bob"))
        let timeline = try market.store.timeline
        #expect(timeline.entries(about: "3").first?.what == "renewed until 2025-03-01 00:00:00 for 9.99")
        let whats = timeline.entries.map(\.what)
        for what in [
            "sold for 9.99, until 2025-02-01 00:00:00", "will not renew", "restored #1 as #4, #2 as #5, #3 as #6",
            "restore ended", "account opened", "signed in",
        ] { #expect(whats.contains(what), "\(timeline)") }
    }

    @Test func `What is sent to devices is traced when that is asked for, behind what led to it`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        let app = App(on: market.store, buying: "sword")
        #expect(try !market.store.timeline.entries.contains { $0.isDelivery })
        market.store.tracesDeliveries = true
        app.buy("sword")
        let lines = try market.store.timeline.entries(about: "2")
        #expect(lines.map(\.what) == ["sold for 0.99", "told: purchased", "finished"])
        #expect(lines.map(\.isDelivery) == [false, true, false] && lines[1].device == "device")
        market.store.tracesDeliveries = false
        #expect(try !market.store.timeline.entries.contains { $0.isDelivery })
    }

    @Test func `A connection that breaks is traced, too`() throws {
        let (market, app) = try Market.withApp()
        market.store.tracesDeliveries = true
        market.store.isReachable = false
        app.queue.settle()
        #expect(try market.store.timeline.entries.last?.what.hasPrefix("connection lost: ") == true)
    }

    @Test func `A store that continues a ledger tells of what was before it`() throws {
        let market = try Market()
        App(on: market.store).buy("sword")
        let next = try SandboxStore(products: Market.products, clock: market.clock, ledger: market.ledger)
        #expect(try next.timeline == market.store.timeline)
    }
}
