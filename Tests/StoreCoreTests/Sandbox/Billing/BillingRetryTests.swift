import Foundation
import StoreCore
import Testing

/// A renewal that cannot be paid for.
@Suite struct BillingRetryTests {
    private static let begin = Market.date("2025-02-01T00:00:00Z")

    /// A subscriber whose first renewal, on 1 February, was not paid for.
    private static func failed(grace: Bool = false, _ subscriber: Subscriber? = nil) throws -> Subscriber {
        let subscriber = try subscriber ?? Subscriber()
        try subscriber.failRenewals(grace: grace)
        #expect(subscriber.at("2025-02-01T00:00:00Z").heard() == [])
        return subscriber
    }

    @Test func `B200, B210: A renewal that is not paid for begins billing retry: no transaction, no access`() throws {
        let subscriber = try Subscriber()
        try subscriber.account.setBillingFails(true)
        #expect(subscriber.account.billingFails)
        #expect(try subscriber.at("2025-01-31T23:59:59Z").metals.state == .subscribed)
        let metals = try subscriber.at("2025-02-01T00:00:00Z").metals
        #expect(metals.state == .inBillingRetryPeriod && !metals.isRunning && metals.expirationReason == .billingError)
        #expect(metals.gracePeriodExpirationDate == nil && metals.endReason == nil)
        #expect(metals.willRenew && metals.renewsAs == "gold.monthly" && metals.expirationDate == Self.begin)
        #expect(subscriber.account.entitlements.isEmpty)
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `B200, B210: A grace period comes first, gives access, and is followed by billing retry`() throws {
        let subscriber = try Self.failed(grace: true)
        let graceEnd = Market.date("2025-02-17T00:00:00Z")
        for moment in ["2025-02-01T00:00:00Z", "2025-02-16T23:59:59Z"] {
            subscriber.market.advance(to: moment)
            let metals = try subscriber.metals
            #expect(metals.state == .inGracePeriod && metals.isRunning && metals.expirationReason == .billingError)
            #expect(metals.gracePeriodExpirationDate == graceEnd && metals.expirationDate == Self.begin)
            let entitlement = try #require(subscriber.account.entitlements.first)
            #expect(entitlement.isInGracePeriod && entitlement.expirationDate == graceEnd)
            #expect("\(entitlement)".contains("could not be paid for, grace until 2025-02-17 00:00:00"))
        }
        let metals = try subscriber.at("2025-02-17T00:00:00Z").metals
        #expect(metals.state == .inBillingRetryPeriod && metals.expirationReason == .billingError)
        #expect(metals.gracePeriodExpirationDate == nil && subscriber.account.entitlements.isEmpty)
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `B198, B200: Paid for in the grace period it keeps its billing date`() throws {
        let subscriber = try Self.failed(grace: true)
        try subscriber.account.setBillingFails(false)
        #expect(try subscriber.at("2025-02-10T12:00:00Z").metals.state == .inGracePeriod)
        #expect(subscriber.heard() == [])
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == subscriber.purchase)
        let renewal = try subscriber.last
        #expect(renewal.transactionIdentifier == "2" && renewal.original?.transactionIdentifier == "1")
        #expect(renewal.transactionDate == Market.date("2025-02-10T12:00:00Z"))
        let metals = try subscriber.metals
        #expect(metals.state == .subscribed && metals.expirationReason == nil)
        #expect(metals.periodStart == Self.begin && metals.expirationDate == Market.date("2025-03-01T00:00:00Z"))
        #expect(subscriber.account.entitlements.map(\.isInGracePeriod) == [false])
        #expect(try subscriber.charged == "19.98")
        #expect(subscriber.at("2025-03-01T00:00:00Z").heard() == subscriber.purchase)
        #expect(try subscriber.metals.expirationDate == Market.date("2025-04-01T00:00:00Z"))
    }

    @Test(arguments: [false, true])
    func `B198, B200: Paid for in billing retry it begins anew`(afterGrace: Bool) throws {
        let subscriber = try Self.failed(grace: afterGrace)
        try subscriber.account.setBillingFails(false)
        try subscriber.at("2025-02-20T12:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == subscriber.purchase)
        #expect(try subscriber.last.original?.transactionIdentifier == "1")
        let metals = try subscriber.metals
        #expect(metals.state == .subscribed && metals.periodStart == Market.date("2025-02-20T12:00:00Z"))
        #expect(metals.expirationDate == Market.date("2025-03-20T12:00:00Z"))
        #expect(metals.recentSubscriptionStartDate == Market.date("2025-01-01T00:00:00Z"))
        #expect(subscriber.account.entitlements.map(\.productIdentifier) == ["gold.monthly"])
        #expect(subscriber.at("2025-03-20T11:59:59Z").heard() == [])
        #expect(subscriber.at("2025-03-20T12:00:00Z").heard() == subscriber.purchase)
        #expect(try subscriber.charged == "29.97")
    }

    @Test(arguments: [false, true])
    func `B200, B210: When retry is over a billing error ended it; resolving does nothing`(afterGrace: Bool) throws {
        let subscriber = try Self.failed(grace: afterGrace)
        #expect(try subscriber.at("2025-04-01T23:59:59Z").metals.state == .inBillingRetryPeriod)
        let metals = try subscriber.at("2025-04-02T00:00:00Z").metals
        #expect(
            metals.state == .expired && metals.endReason == .billingError && metals.expirationReason == .billingError
        )
        #expect(!metals.willRenew && metals.renewsAs == nil)
        try subscriber.account.setBillingFails(false)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.at("2025-06-01T00:00:00Z").heard() == [])
        #expect(try subscriber.metals == metals && subscriber.charged == "9.99")
        #expect(try subscriber.account.transactions.count == 1)
    }

    @Test func `B210: Where nothing has failed a grace period has no effect, and resolving does nothing`() throws {
        let subscriber = try Subscriber()
        try subscriber.market.store.setGrantsGracePeriod(true)
        #expect(subscriber.market.store.grantsGracePeriod)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == [])
        #expect(subscriber.at("2025-02-01T00:00:00Z").heard() == subscriber.purchase)
        #expect(try subscriber.metals.state == .subscribed)
        let missing = SandboxError(.notSubscribed(group: "woods"))
        #expect(throws: missing) { try subscriber.account.resolveBillingIssue(inGroup: "woods") }
    }

    @Test func `B210: Every renewal fails while billing does, also after one was resolved`() throws {
        let subscriber = try Self.failed(grace: true)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == subscriber.purchase)
        #expect(subscriber.at("2025-03-01T00:00:00Z").heard() == [])
        #expect(try subscriber.metals.gracePeriodExpirationDate == Market.date("2025-03-17T00:00:00Z"))
    }

    @Test func `B210: What failed waits to be resolved, also when billing works again`() throws {
        let subscriber = try Self.failed()
        try subscriber.account.setBillingFails(false)
        #expect(try subscriber.at("2025-03-15T00:00:00Z").metals.state == .inBillingRetryPeriod)
        #expect(subscriber.heard() == [])
    }

    @Test func `B200: A grace period that is granted or withdrawn later is for later failures`() throws {
        let subscriber = try Self.failed(grace: true)
        try subscriber.market.store.setGrantsGracePeriod(false)
        #expect(try subscriber.metals.state == .inGracePeriod)
        let other = try Self.failed()
        try other.market.store.setGrantsGracePeriod(true)
        #expect(try other.metals.state == .inBillingRetryPeriod)
    }

    @Test func `B200: A first purchase is paid for while the account's renewals fail`() throws {
        let market = try Market()
        try market.store.account.setBillingFails(true)
        let app = App(on: market.store, buying: "gold.monthly", "full.game")
        #expect(app.received == [.updated("gold.monthly", .purchased), .updated("full.game", .purchased)])
        #expect(market.store.account.subscription(inGroup: "metals")?.state == .subscribed)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(market.store.account.subscription(inGroup: "metals")?.state == .inBillingRetryPeriod)
    }

    @Test func `Only the account whose billing fails is concerned`() throws {
        let subscriber = try Subscriber()
        let bob = try subscriber.market.store.addAccount("bob")
        let app = App(on: try subscriber.market.store.addDevice("phone", signedInTo: bob), buying: "gold.monthly")
        try bob.setBillingFails(true)
        #expect(subscriber.at("2025-02-01T00:00:00Z").heard() == subscriber.purchase)
        #expect(app.received.count == 1 && bob.subscription(inGroup: "metals")?.state == .inBillingRetryPeriod)
        #expect(try subscriber.metals.state == .subscribed)
    }

    @Test func `B200, B225: A week's grace is six days`() throws {
        let weekly = Market.subscription("gold.weekly", level: 1, price: "2.99", .init(1, .week))
        // The renewal of 8 January failed, and its grace is over.
        #expect(
            try Self.failed(grace: true, Subscriber(to: "gold.weekly", [weekly])).metals.state == .inBillingRetryPeriod
        )
        let early = try Subscriber(to: "gold.weekly", [weekly])
        try early.failRenewals()
        early.market.advance(to: "2025-01-08T00:00:00Z")
        #expect(try early.metals.gracePeriodExpirationDate == Market.date("2025-01-14T00:00:00Z"))
    }

    @Test func `B200: Of periods shorter than the grace period the one that runs is paid for`() throws {
        let short = Market.subscription("gold.short", level: 1, price: "0.99", .init(3, .day))
        let subscriber = try Subscriber(to: "gold.short", [short])
        try subscriber.failRenewals()
        try subscriber.at("2025-01-08T12:00:00Z").account.setBillingFails(false)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == subscriber.purchase)
        #expect(try subscriber.metals.periodStart == Market.date("2025-01-07T00:00:00Z"))
        #expect(try subscriber.metals.expirationDate == Market.date("2025-01-10T00:00:00Z"))
        #expect(try subscriber.charged == "1.98")
    }

    @Test(arguments: [RenewalRate.Period.twoSeconds, .minute, .fifteenMinutes])
    func `B210, B224: At a fixed rate grace lasts a period and retry two`(period: RenewalRate.Period) throws {
        let subscriber = try Subscriber(renewalRate: .everyPeriod(period))
        try subscriber.failRenewals()
        let states = try (0..<3).map { _ in
            subscriber.market.clock.advance(by: period.rawValue)
            return try subscriber.metals.state
        }
        #expect(states == [.inGracePeriod, .inBillingRetryPeriod, .expired])
        #expect(subscriber.heard() == [])
    }

    @Test func `B120: Bought again in billing retry it begins at once and is charged`() throws {
        let subscriber = try Self.failed()
        subscriber.at("2025-02-05T00:00:00Z").app.buy("gold.monthly")
        #expect(subscriber.heard() == [[.updated("gold.monthly", .purchasing)]] + subscriber.purchase)
        #expect(try subscriber.metals.state == .subscribed)
        #expect(try subscriber.metals.expirationDate == Market.date("2025-03-05T00:00:00Z"))
        #expect(try subscriber.charged == "19.98")
    }

    @Test func `B106: Bought again in a grace period it costs nothing and resolves nothing`() throws {
        let subscriber = try Self.failed(grace: true)
        subscriber.app.buy("gold.monthly")
        #expect(subscriber.heard() == [[.updated("gold.monthly", .purchasing)]] + subscriber.purchase)
        #expect(try subscriber.metals.state == .inGracePeriod && subscriber.charged == "9.99")
    }

    @Test(arguments: [false, true])
    func `B200: Turned off in billing retry or grace the subscription is over at once`(grace: Bool) throws {
        let subscriber = try Self.failed(grace: grace)
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        #expect(try subscriber.metals.state == .expired && subscriber.metals.endReason == .autoRenewDisabled)
        #expect(try subscriber.metals.expirationDate == Self.begin && subscriber.account.entitlements.isEmpty)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(subscriber.heard() == [])
    }

    @Test func `What is not on sale any more ends when it is resolved`() throws {
        let subscriber = try Self.failed(grace: true)
        try subscriber.market.store.setAvailability(.withdrawn, of: "gold.monthly")
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(try subscriber.heard() == [] && subscriber.metals.endReason == .productUnavailable)
    }
}
