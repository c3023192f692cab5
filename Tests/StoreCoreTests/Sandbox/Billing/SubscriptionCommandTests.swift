import Foundation
import StoreCore
import Testing

/// An operator's commands to a subscription.
@Suite struct SubscriptionCommandTests {
    private static let tenth = Market.date("2025-01-10T06:00:00Z")

    private static func onTheTenth() throws -> Subscriber {
        let subscriber = try Subscriber()
        subscriber.market.advance(to: "2025-01-10T06:00:00Z")
        return subscriber
    }

    @Test func `B213: A new subscription renews; turned off it expires at the end of its period`() throws {
        let subscriber = try Subscriber()
        #expect(try subscriber.metals.willRenew)
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        try subscriber.account.setAutoRenew(true, inGroup: "metals")
        #expect(subscriber.at("2025-02-01T00:00:00Z").heard() == subscriber.purchase)
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        #expect(try subscriber.at("2025-02-28T23:59:59Z").metals.state == .subscribed)
        #expect(try subscriber.at("2025-03-01T00:00:00Z").metals.state == .expired)
        #expect(subscriber.heard() == [])
    }

    @Test func `B214: A subscription that is made to expire is over now, and will not renew`() throws {
        let subscriber = try Self.onTheTenth()
        try subscriber.account.expireSubscription(inGroup: "metals")
        let metals = try subscriber.metals
        #expect(metals.state == .expired && metals.endReason == .autoRenewDisabled && !metals.willRenew)
        #expect(metals.expirationDate == Self.tenth && subscriber.account.entitlements.isEmpty)
        #expect(try subscriber.account.transactions.map(\.expirationDate) == [Self.tenth])
        #expect(try subscriber.market.store.purchases().map(\.subscription?.expirationDate) == [Self.tenth])
        #expect(try subscriber.at("2025-06-01T00:00:00Z").heard() == [] && subscriber.charged == "9.99")
        let missing = SandboxError(.notSubscribed(group: "metals"))
        #expect(throws: missing) { try subscriber.account.expireSubscription(inGroup: "metals") }
    }

    @Test func `Subscriptions and entitlements are encoded under the keys of their first form`() throws {
        let subscriber = try Self.onTheTenth()
        let entitlement = try JSONEncoder().encode(try #require(subscriber.account.entitlements.first))
        try subscriber.account.expireSubscription(inGroup: "metals")
        let metals = try JSONEncoder().encode(subscriber.metals)
        for (data, keys) in [(entitlement, ["since"]), (metals, ["since", "end"])] {
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(keys.allSatisfy { object[$0] != nil })
        }
        #expect(try JSONDecoder().decode(SandboxSubscription.self, from: metals) == subscriber.metals)
    }

    @Test func `A product in the place of its group is told from a group in which nothing runs`() throws {
        let account = try Subscriber().account
        let error = SandboxError(.notGroup(product: "gold.monthly", group: "metals"))
        #expect(throws: error) { try account.expireSubscription(inGroup: "gold.monthly") }
        #expect(throws: error) { try account.resolveBillingIssue(inGroup: "gold.monthly") }
        #expect(error.description == "\"gold.monthly\" is a product, its group is \"metals\"")
        #expect(throws: SandboxError(.notSubscribed(group: "woods"))) {
            try account.setAutoRenew(false, inGroup: "woods")
        }
    }

    @Test func `A product and a group of one name are not confused`() throws {
        let product = SandboxProduct.autoRenewable("club", price: "1", period: .monthly, group: "club")
        let account = try SandboxStore(products: [product]).account
        #expect(throws: SandboxError(.notSubscribed(group: "club"))) { try account.forceRenewal(inGroup: "club") }
    }

    @Test func `B214: Only the newest period ends earlier, whatever was ordered in it`() throws {
        let subscriber = try Subscriber()
        subscriber.at("2025-02-10T00:00:00Z").app.buy("silver.monthly")
        try subscriber.account.expireSubscription(inGroup: "metals")
        let ends: [Date?] = days("2025-02-01", "2025-02-10")
        #expect(try subscriber.account.transactions.map(\.expirationDate) == ends + [nil])
    }

    @Test func `B198: What has lapsed can be bought again, and counts as the same subscription`() throws {
        let subscriber = try Self.onTheTenth()
        try subscriber.account.expireSubscription(inGroup: "metals")
        subscriber.at("2025-01-20T00:00:00Z").app.buy("gold.monthly")
        #expect(subscriber.heard() == calls(of: "gold.monthly", .purchasing, .purchased))
        let metals = try subscriber.metals
        #expect(metals.state == .subscribed && metals.willRenew)
        #expect(
            metals.originalTransaction == "1"
                && metals.recentSubscriptionStartDate == Market.date("2025-01-01T00:00:00Z")
        )
        #expect(metals.expirationDate == Market.date("2025-02-20T00:00:00Z"))
        try subscriber.account.expireSubscription(inGroup: "metals")
        let ends = [Self.tenth, Market.date("2025-01-20T00:00:00Z")]
        #expect(try subscriber.account.transactions.map(\.expirationDate) == ends)
    }

    @Test func `B198, B215: A forced renewal ends the period now and begins the next one`() throws {
        let subscriber = try Self.onTheTenth()
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        try subscriber.account.forceRenewal(inGroup: "metals")
        #expect(subscriber.heard() == subscriber.purchase)
        let renewal = try subscriber.last
        #expect(renewal.transactionDate == Self.tenth && renewal.original?.transactionIdentifier == "1")
        let metals = try subscriber.metals
        let end = Market.date("2025-02-10T06:00:00Z")
        #expect(metals.state == .subscribed && metals.willRenew)
        #expect(metals.periodStart == Self.tenth && metals.expirationDate == end)
        #expect(try subscriber.account.transactions.map(\.expirationDate) == [Self.tenth, end])
        #expect(try subscriber.charged == "19.98")
        #expect(subscriber.at("2025-02-10T06:00:00Z").heard() == subscriber.purchase)
    }

    @Test func `B215: A forced renewal withdraws the question about a price, at the old one`() throws {
        let subscriber = try Self.onTheTenth()
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "12.99")
        try subscriber.account.forceRenewal(inGroup: "metals")
        #expect(try subscriber.heard() == subscriber.purchase && subscriber.metals.priceConsent == nil)
        #expect(try subscriber.charged == "19.98")
    }

    @Test(arguments: [SandboxSubscription.State.inGracePeriod, .inBillingRetryPeriod])
    func `B215: A forced renewal leaves billing retry alone`(state: SandboxSubscription.State) throws {
        let subscriber = try Subscriber()
        try subscriber.failRenewals(grace: state == .inGracePeriod)
        let metals = try subscriber.at("2025-02-03T00:00:00Z").metals
        #expect(metals.state == state)
        try subscriber.account.setBillingFails(false)
        try subscriber.account.forceRenewal(inGroup: "metals")
        #expect(try subscriber.metals == metals)
        #expect(subscriber.heard() == [])
    }

    @Test func `B210, B215: A forced renewal that cannot be paid for begins billing retry now`() throws {
        let subscriber = try Self.onTheTenth()
        try subscriber.failRenewals()
        try subscriber.account.forceRenewal(inGroup: "metals")
        let metals = try subscriber.metals
        #expect(metals.state == .inGracePeriod && metals.expirationDate == Self.tenth)
        #expect(metals.gracePeriodExpirationDate == Market.date("2025-01-26T06:00:00Z"))
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `Commands about what does not run are errors that change nothing`() throws {
        let market = try Market()
        let account = market.store.account
        let missing = SandboxError(.notSubscribed(group: "metals"))
        #expect(throws: missing) { try account.expireSubscription(inGroup: "metals") }
        #expect(throws: missing) { try account.forceRenewal(inGroup: "metals") }
        #expect(throws: missing) { try account.requestPriceIncreaseConsent(inGroup: "metals") }
        #expect(throws: missing) { try account.answerPriceConsent(.agree, inGroup: "metals") }
        #expect(throws: missing) { try account.resolveBillingIssue(inGroup: "metals") }
        #expect(account.subscriptions.isEmpty)
    }
}
