import Foundation
import StoreCore
import Testing

/// Periods of subscriptions that are paid back, and what becomes of the rest.
@Suite struct SubscriptionRefundTests {
    private let market: Market
    private let app: App
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { (market, app) = try Market.withApp() }

    private var metals: SandboxSubscription? { account.subscription(inGroup: "metals") }

    /// The cancellation dates in the device's receipt, in the order of the transactions.
    private func cancellations() throws -> [Date?] { try store.purchases().map(\.cancellationDate) }

    /// Pays a transaction back and returns what becomes of the subscription.
    private func refund(_ identifier: String) throws -> SandboxSubscription? {
        try store.refund(identifier)
        return metals
    }

    @Test func `B176, B212: With the running period the subscription ends, and does not renew`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try app.told { try store.refund("2") } == [[.revoked(["gold.monthly"])]])
        #expect(account.entitlements == [])
        #expect(metals?.endReason == .revoked && metals?.willRenew == false)
        #expect(try cancellations() == [nil, Market.date("2025-02-10T00:00:00Z")])
        market.advance(to: "2025-06-01T00:00:00Z")
        #expect(try app.recorder.callbacks.count == 1 && account.totalCharged == Decimal(string: "19.98"))
        #expect(try account.totalRefunded == Decimal(string: "9.99"))
    }

    @Test func `B176, B212: An earlier period is paid back without a word, and the rest goes on`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try app.told { try store.refund("1") } == [])
        #expect(account.entitlements.map(\.productIdentifier) == ["gold.monthly"])
        #expect(try cancellations() == [Market.date("2025-02-10T00:00:00Z"), nil])
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(app.recorder.callbacks == [[.updated("gold.monthly", .purchased)], [.removed("gold.monthly")]])
        #expect(try account.refunds.map(\.id) == ["1"])
    }

    @Test func `B212: The last period of a subscription that is over is paid back without a word`() throws {
        app.buy("gold.monthly")
        try account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try app.told { try store.refund("1") } == [])
        #expect(try metals?.endReason == .autoRenewDisabled && account.totalRefunded == Decimal(string: "9.99"))
    }

    @Test func `B176, B212: Of an upgraded subscription the old period is paid back, and the new one stays`() throws {
        // The second time at one and the same moment.
        for day in ["2025-01-20T00:00:00Z", "2025-01-01T00:00:00Z"] {
            let (market, app) = try Market.withApp()
            app.buy("silver.monthly")
            market.advance(to: day)
            app.buy("gold.monthly")
            #expect(try app.told { try market.store.refund("1") } == [])
            #expect(market.store.account.entitlements.map(\.productIdentifier) == ["gold.monthly"])
            #expect(try market.store.account.refunds.map(\.id) == ["1"])
            try market.store.refund("2")
            #expect(app.recorder.callbacks == [[.revoked(["gold.monthly"])]])
            #expect(market.store.account.entitlements == [])
        }
    }

    @Test func `B176, B212: With the upgrade's period all access ends; the old product does not come back`() throws {
        app.buy("silver.monthly")
        market.advance(to: "2025-01-20T00:00:00Z")
        app.buy("gold.monthly")
        #expect(try app.told { try store.refund("2") } == [[.revoked(["gold.monthly"])]])
        #expect(account.entitlements == [])
        #expect(try cancellations() == [nil, Market.date("2025-01-20T00:00:00Z")])
        market.advance(to: "2025-04-01T00:00:00Z")
        #expect(app.recorder.callbacks.count == 1)
    }

    @Test func `B212: Changed to another product and back at one moment, each is a purchase of its own`() throws {
        app.buy("silver.monthly", "silver.other", "silver.monthly")
        #expect(try app.told { try store.refund("1") } == [])
        #expect(account.entitlements.map(\.productIdentifier) == ["silver.monthly"])
        try store.refund("3")
        #expect(app.recorder.callbacks == [[.revoked(["silver.monthly"])]])
        #expect(try account.refunds.map(\.id) == ["1", "3"])
    }

    @Test func `A3, B212: Of a running subscription bought again only what was sold is paid back`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-01-10T00:00:00Z")
        app.buy("gold.monthly")
        app.recorder.clear()
        #expect(throws: SandboxError(.notSold("2"))) { try store.refund("2") }
        try store.refund("1")
        #expect(app.recorder.callbacks == [[.revoked(["gold.monthly"])]])
        #expect(try store.transactions.map(\.refundedAmount) == [Decimal(string: "9.99"), nil])
    }

    @Test func `B212: A change that waits for the renewal has cost nothing, and goes with the subscription`() throws {
        app.buy("gold.monthly", "silver.monthly")
        #expect(throws: SandboxError(.notSold("2"))) { try store.refund("2") }
        try store.refund("1")
        #expect(app.told { market.advance(to: "2025-03-01T00:00:00Z") } == [])
        #expect(account.entitlements == [])
    }

    @Test func `B212: Bought again, it costs again, renews, and is the same subscription`() throws {
        app.buy("gold.monthly")
        try market.at("2025-01-10T00:00:00Z").store.refund("1")
        app.recorder.clear()
        app.buy("gold.monthly")
        market.advance(to: "2025-02-11T00:00:00Z")
        #expect(app.received == Array(repeating: .updated("gold.monthly", .purchased), count: 2))
        #expect(metals?.originalTransaction == "1" && metals?.isRunning == true)
        #expect(try account.totalCharged == Decimal(string: "29.97"))
        #expect(try refund("2")?.isRunning == true)
    }

    @Test func `B212: Two periods paid for at one moment are paid back one at a time`() throws {
        app.buy("gold.monthly")
        try account.forceRenewal(inGroup: "metals")
        #expect(try refund("1")?.isRunning == true)
        #expect(try refund("2")?.endReason == .revoked)
        #expect(try account.totalRefunded == account.totalCharged)
    }

    @Test func `B212: In billing retry the last period is paid back without a word, and nothing is collected`() throws {
        app.buy("gold.monthly")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-10T00:00:00Z")
        app.recorder.clear()
        #expect(try refund("1")?.endReason == .revoked)
        #expect(try cancellations() == [Market.date("2025-02-10T00:00:00Z")])
        try account.setBillingFails(false)
        try account.resolveBillingIssue(inGroup: "metals")
        market.advance(to: "2025-06-01T00:00:00Z")
        #expect(app.recorder.callbacks == [])
    }

    @Test func `B212, B215: Of periods forced at one moment the newest alone ends what is not paid for`() throws {
        app.buy("gold.monthly")
        try account.forceRenewal(inGroup: "metals")
        try account.setBillingFails(true)
        try account.forceRenewal(inGroup: "metals")
        #expect(metals?.state == .inBillingRetryPeriod)
        #expect(try refund("1")?.state == .inBillingRetryPeriod)
        #expect(try refund("2")?.endReason == .revoked)
    }

    @Test func `B212, B215: What was paid back keeps its end when what was bought right then is cut short`() throws {
        app.buy("gold.monthly")
        try store.refund("1")
        app.buy("gold.monthly")
        try market.at("2025-01-20T00:00:00Z").account.forceRenewal(inGroup: "metals")
        let ends = try account.transactions.map(\.expirationDate)
        #expect(ends == days("2025-02-01", "2025-01-20", "2025-02-20"))
        #expect(try Set(store.purchases().map(\.subscription?.expirationDate)) == Set(ends))
    }

    @Test func `B176, B200, B212: In a grace period the last period is what is in use`() throws {
        try store.setGrantsGracePeriod(true)
        app.buy("gold.monthly")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-10T00:00:00Z")
        app.recorder.clear()
        #expect(try refund("1")?.endReason == .revoked)
        #expect(app.recorder.callbacks == [[.revoked(["gold.monthly"])]])
    }

    @Test func `B212: What was paid back is of its own subscription, even with its product in another group`() throws {
        app.buy("gold.monthly")
        try store.register(.autoRenewable("gold.monthly", price: "9.99", period: .init(1, .month), group: "alloys"))
        app.buy("gold.monthly")
        #expect(account.subscriptions.map(\.isRunning) == [true, true])
        #expect(try refund("1")?.endReason == .revoked)
        #expect(account.subscription(inGroup: "alloys")?.isRunning == true)
        try store.refund("2")
        #expect(account.subscription(inGroup: "alloys")?.endReason == .revoked)
    }

    @Test func `B212: A subscription that was over and was bought again ends with its last period alone`() throws {
        let bob = try store.addAccount("bob")
        try bob.buy("gold.monthly")
        app.buy("gold.monthly")
        try account.expireSubscription(inGroup: "metals")
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        app.recorder.clear()
        for number in try account.transactions.dropLast().map(\.id) { try store.refund(number) }
        #expect(app.recorder.callbacks == [] && metals?.isRunning == true)
        try store.refund(try #require(try account.transactions.last?.id))
        #expect(metals?.endReason == .revoked && bob.subscription(inGroup: "metals")?.isRunning == true)
    }

    @Test func `B212: What cost nothing and was cut short is not paid back with what followed at that moment`() throws {
        let gift = SandboxProduct.CodeOffer(.freeTrial(.init(1, .month), identifier: "GIFT"), isStackable: true)
        let trial = SandboxProduct.Offer.freeTrial(.init(1, .week))
        var gold = Market.subscription("gold.monthly", level: 1, price: "9.99", .init(1, .month), offer: trial)
        gold.subscription?.offerCodes = [gift]
        let market = try Market([gold])
        let account = market.store.account
        try account.redeem(code: "GIFT", of: "gold.monthly")
        try account.forceRenewal(inGroup: "metals")
        try market.store.refund("1")
        #expect(account.subscription(inGroup: "metals")?.isRunning == true)
        try market.store.refund("2")
        #expect(account.subscription(inGroup: "metals")?.endReason == .revoked)
    }

    @Test func `B191, B176: A receipt of it is of a subscription that is over; its newest says since when`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false, buying: "gold.monthly")
        let receipt = try #require(app.recorder.transactions.last?.transactionReceipt)
        #expect(market.store.verify(receipt: receipt).status == .valid)
        try market.store.refund("1")
        let answer = market.store.verify(receipt: receipt)
        #expect(answer.status == .subscriptionExpired)
        #expect(answer.latestFields["cancellation_date_ms"] == "1735689600000")
        #expect(answer.fields["cancellation_date_ms"] == nil)
    }

    @Test func `What an older version of the store wrote of a refund ends the subscription too`() throws {
        app.buy("gold.monthly")
        try store.refund("1")
        let (_, text) = try LedgerCopy.rewritten(market.ledger)
        let older = text.replacing(/"ended":0,|,"ended":0/, with: "")
        #expect(older != text)
        let copy = MemoryLedger()
        #expect(copy.append(try JSONDecoder().decode([LedgerRecord].self, from: Data(older.utf8)), ifHeadIs: 0))
        #expect(try Market(ledger: copy).store.account.subscription(inGroup: "metals")?.endReason == .revoked)
    }

    @Test func `It is still so for a store that continues the ledger`() throws {
        app.buy("gold.monthly")
        try store.refund("1")
        let next = try Market(ledger: market.ledger)
        #expect(next.at("2025-03-01T00:00:00Z").store.account.subscription(inGroup: "metals")?.endReason == .revoked)
        #expect(try next.store.transactions.count == 1)
        #expect(try next.store.account.totalRefunded == Decimal(string: "9.99"))
    }
}
