import Foundation
import StoreCore
import Testing

/// Periods that are over when a renewal is paid for in a grace period longer than they are.
@Suite struct SkippedPeriodTests {
    private static let gold = Market.subscription("gold.monthly", level: 1, price: "9.99", .init(1, .month))

    /// Somebody who chose a lower level, under an offer, for the renewal of 1 February, which is not paid for.
    private func subscriber(_ offer: SandboxProduct.Offer) throws -> Subscriber {
        var silver = Market.subscription("silver.monthly", level: 2, price: "4.99", .init(1, .month))
        silver.subscription?.offerCodes = [SandboxProduct.CodeOffer(offer)]
        let subscriber = try Subscriber(to: "gold.monthly", [Self.gold, silver])
        try subscriber.account.redeem(code: "LESS", of: "silver.monthly")
        try subscriber.failRenewals()
        try subscriber.at("2025-02-01T00:00:00Z").account.setBillingFails(false)
        return subscriber
    }

    @Test func `B139, B200: A free trial that is over by then is not begun again: the full price runs`() throws {
        let subscriber = try subscriber(.freeTrial(.init(3, .day), identifier: "LESS"))
        try subscriber.at("2025-02-09T00:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        let metals = try subscriber.metals
        #expect(metals.productIdentifier == "silver.monthly" && metals.offer == nil)
        #expect([metals.periodStart, metals.expirationDate] == days("2025-02-04", "2025-03-04"))
        #expect(try subscriber.charged == "14.98")
        // It has been had: an offer is for once.
        #expect(try subscriber.at("2025-03-04T00:00:00Z").charged == "19.97" && subscriber.metals.offer == nil)
    }

    @Test func `B139, B200: A free trial that still runs by then costs nothing`() throws {
        let subscriber = try subscriber(.freeTrial(.init(3, .day), identifier: "LESS"))
        try subscriber.at("2025-02-03T00:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        #expect(try subscriber.metals.offer?.identifier == "LESS")
        #expect(try subscriber.metals.expirationDate == Market.date("2025-02-04T00:00:00Z"))
        #expect(try subscriber.charged == "9.99")
    }

    @Test func `B139, B200: Of an offer in several periods those that are over count as had`() throws {
        let subscriber = try subscriber(.payAsYouGo(price: "0.29", every: .init(3, .day), times: 3, identifier: "LESS"))
        try subscriber.at("2025-02-08T00:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        #expect(try subscriber.metals.offer?.identifier == "LESS")
        #expect(try subscriber.metals.periodStart == Market.date("2025-02-07T00:00:00Z"))
        #expect(try subscriber.charged == "10.28")
        #expect(try subscriber.at("2025-02-10T00:00:00Z").metals.offer == nil && subscriber.charged == "15.27")
    }

    @Test func `B200: An offer that waited and is over by then is not begun again, then or later`() throws {
        let stack = SandboxProduct.Offer.payAsYouGo(price: "0.29", every: .init(3, .day), times: 2, identifier: "STACK")
        let trial = SandboxProduct.Offer.freeTrial(.init(1, .week))
        var gold = Market.subscription("gold.monthly", level: 1, price: "9.99", .init(1, .month), offer: trial)
        gold.subscription?.offerCodes = [SandboxProduct.CodeOffer(stack, isStackable: true)]
        let market = try Market([gold])
        let account = market.store.account
        try account.redeem(code: "STACK", of: "gold.monthly")
        #expect(account.subscription(inGroup: "metals")?.waitingOffer?.identifier == "STACK")
        try market.store.setGrantsGracePeriod(true)
        try account.setBillingFails(true)
        market.advance(to: "2025-01-16T00:00:00Z")
        try account.setBillingFails(false)
        try account.resolveBillingIssue(inGroup: "metals")
        let metals = try #require(account.subscription(inGroup: "metals"))
        #expect(metals.periodStart == Market.date("2025-01-14T00:00:00Z"))
        #expect(metals.offer == nil && metals.waitingOffer == nil)
        market.advance(to: "2025-02-14T00:00:00Z")
        #expect(account.subscription(inGroup: "metals")?.offer == nil)
        #expect("\(try account.totalCharged)" == "19.98")
    }

    @Test func `What was left out is in the timeline, and a store that continues the ledger knows it`() throws {
        let short = Market.subscription("gold.short", level: 1, price: "0.99", .init(3, .day))
        let subscriber = try Subscriber(to: "gold.short", [short])
        try subscriber.failRenewals()
        try subscriber.at("2025-01-08T12:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        #expect(
            try subscriber.market.store.timeline.entries.dropLast().suffix(2).map(\.what) == [
                "period until 2025-01-07 00:00:00 was over before it was paid for, left out",
                "renewed until 2025-01-10 00:00:00 for 0.99",
            ]
        )
        let (copy, _) = try LedgerCopy.rewritten(subscriber.market.ledger)
        let later = try Market(on: "2025-01-08T12:00:00Z", ledger: copy)
        #expect(later.store.account.subscription(inGroup: "metals") == (try subscriber.metals))
    }
}
