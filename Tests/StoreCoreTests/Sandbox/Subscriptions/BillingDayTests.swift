import Foundation
import StoreCore
import Testing

/// Which day of the month the store keeps to, whatever changes on the way.
@Suite struct BillingDayTests {
    private static func market(_ offer: SandboxProduct.Offer) throws -> Market {
        let plus = Market.subscription("plus", level: 1, price: "4.99", .init(1, .month), offer: offer)
        return try Market([plus], on: "2025-01-31T12:00:00Z")
    }

    @Test(arguments: [
        (SandboxProduct.Offer.payAsYouGo(price: "0.99", every: .init(1, .month)), "2025-02-28", "2025-03-31"),
        (.payAsYouGo(price: "0.99", every: .init(1, .month), times: 4), "2025-05-31", "2025-06-30"),
        (.freeTrial(.init(1, .month)), "2025-02-28", "2025-03-31"),
        (.payUpFront(price: "2.99", for: .init(3, .month)), "2025-04-30", "2025-05-31"),
    ])
    func `The day returns after an offer of months`(offer: SandboxProduct.Offer, offered: String, paid: String) throws {
        let market = try Self.market(offer)
        App(on: market.store).buy("plus")
        market.advance(to: offered + "T12:00:00Z")
        #expect(market.metals?.introductoryOffer == nil)
        #expect(market.metals?.periodStart == Market.date(offered + "T12:00:00Z"))
        #expect(market.metals?.expirationDate == Market.date(paid + "T12:00:00Z"))
    }

    @Test func `After an offer of days the months are counted from its end`() throws {
        let market = try Self.market(.freeTrial(.init(3, .day)))
        App(on: market.store).buy("plus")
        #expect(market.at("2025-02-03T12:00:00Z").metals?.expirationDate == Market.date("2025-03-03T12:00:00Z"))
    }

    @Test func `The day comes back after a change to a lower level`() throws {
        let market = try Market(on: "2025-01-31T12:00:00Z")
        let app = App(on: market.store)
        app.buy("gold.monthly", "silver.monthly")
        market.advance(to: "2025-02-28T12:00:00Z")
        #expect(market.metals?.productIdentifier == "silver.monthly")
        #expect(market.metals?.expirationDate == Market.date("2025-03-31T12:00:00Z"))
    }

    @Test func `The day comes back after a change to years`() throws {
        let market = try Market(on: "2023-12-30T12:00:00Z")
        let app = App(on: market.store, buying: "gold.monthly")
        market.advance(to: "2024-02-10T00:00:00Z")
        app.buy("gold.yearly")
        #expect(market.at("2025-02-28T12:00:00Z").metals?.expirationDate == Market.date("2026-02-28T12:00:00Z"))
        try market.store.register(Market.subscription("gold.yearly", level: 1, price: "9.99", .init(1, .month)))
        #expect(market.at("2026-02-28T12:00:00Z").metals?.expirationDate == Market.date("2026-03-30T12:00:00Z"))
    }

    @Test func `Who changes at once has a day of the new product's`() throws {
        let market = try Market(on: "2025-01-31T12:00:00Z")
        let app = App(on: market.store, buying: "silver.monthly")
        market.advance(to: "2025-02-10T12:00:00Z")
        app.buy("gold.monthly")
        #expect(market.at("2025-03-10T12:00:00Z").metals?.expirationDate == Market.date("2025-04-10T12:00:00Z"))
    }

    @Test(arguments: [
        (RenewalRate.month(.hour), RenewalRate.realTime), (.realTime, .month(.hour)),
        (.everyPeriod(.twoSeconds), .everyPeriod(.fifteenMinutes)), (.day(.minute), .day(.hour)),
    ])
    func `A store opened at another rate renews for a period of it`(before: RenewalRate, after: RenewalRate) throws {
        let ledger = MemoryLedger()
        let clock = ManualClock()
        do {
            let store = try SandboxStore(products: Market.products, clock: clock, ledger: ledger, renewalRate: before)
            App(on: store).buy("pro.monthly")
            for _ in 1...5 { clock.advance(to: try #require(store.account.subscriptions.first).expirationDate) }
        }
        let store = try SandboxStore(products: Market.products, clock: clock, ledger: ledger, renewalRate: after)
        let last = try #require(store.account.subscriptions.first)
        clock.advance(to: last.expirationDate)
        let next = try #require(store.account.subscriptions.first)
        #expect(next.periodStart == last.expirationDate)
        #expect(next.expirationDate == after.end(of: .init(1, .month), from: last.expirationDate))
    }
}
