import Foundation
import StoreCore
import Testing

/// The table of the App Store Server Notifications, line by line.
@Suite struct NotificationTableTests {
    private let shop: NotifiedShop
    private var account: SandboxAccount { shop.account }

    init() throws { shop = try NotifiedShop() }

    @Test(arguments: ["sword", "full.game", "lessons"])
    func `What is bought without a subscription is a one-time charge`(product: String) throws {
        #expect(try shop.told { try account.buy(product) } == ["ONE_TIME_CHARGE #1"])
        let notification = try #require(try shop.all.first)
        #expect(notification.transaction == (try shop.view.transaction("1")?.payload))
        #expect(notification.renewal == nil && notification.status == nil)
    }

    @Test func `What is owned and bought again is told once`() throws {
        try account.buy("full.game")
        #expect(try shop.told { try account.buy("full.game") } == [])
    }

    @Test func `An order on a device is told when it is charged`() throws {
        shop.store.authorizer = .always(.later)
        let app = App(on: shop.store)
        #expect(try shop.told { app.buy("sword") } == [])
        let request = try #require(shop.store.undecidedRequests.first)
        #expect(try shop.told { try shop.store.decide(request.transaction, as: .approve) } == ["ONE_TIME_CHARGE #1"])
        // A restore is not told.
        shop.store.authorizer = .approving
        try account.buy("full.game")
        app.queue.settle()
        #expect(try shop.told { app.restore() } == [])
    }

    @Test func `A subscription begins, renews, ends and begins again`() throws {
        #expect(try shop.told { try account.buy("gold.monthly") } == ["SUBSCRIBED INITIAL_BUY #1"])
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == ["DID_RENEW #2"])
        let renewal = try #require(try shop.all.last)
        #expect(renewal.renewal?.originalTransactionId == "1" && renewal.renewal?.autoRenewStatus == .on)
        #expect(renewal.status == 1 && renewal.date == Market.date("2025-02-01T00:00:00Z"))
        #expect(
            try shop.told { try account.setAutoRenew(false, inGroup: "metals") }
                == ["DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED #2"]
        )
        #expect(
            try shop.told { try account.setAutoRenew(true, inGroup: "metals") }
                == ["DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED #2"]
        )
        try account.setAutoRenew(false, inGroup: "metals")
        #expect(try shop.told { shop.advance(to: "2025-03-01T00:00:00Z") } == ["EXPIRED VOLUNTARY #2"])
        #expect(try shop.all.last?.status == 2 && shop.all.last?.renewal?.expirationIntent == .customerCanceled)
        #expect(try shop.told { try account.buy("silver.monthly") } == ["SUBSCRIBED RESUBSCRIBE #3"])
    }

    @Test func `A change to a higher level is an upgrade, to a lower a downgrade, which may be taken back`() throws {
        try account.buy("silver.monthly")
        #expect(try shop.told { try account.buy("gold.monthly") } == ["DID_CHANGE_RENEWAL_PREF UPGRADE #2"])
        #expect(try shop.told { try account.buy("silver.monthly") } == ["DID_CHANGE_RENEWAL_PREF DOWNGRADE #2"])
        #expect(try shop.all.last?.renewal?.autoRenewProductId == "silver.monthly")
        #expect(try shop.told { try account.buy("gold.monthly") } == ["DID_CHANGE_RENEWAL_PREF #2"])
        // Nothing is changed by one more.
        #expect(try shop.told { try account.buy("gold.monthly") } == [])
        try account.setAutoRenew(false, inGroup: "metals")
        try shop.tells("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED #2") { try account.buy("gold.monthly") }
    }

    @Test func `A renewal that fails leads to grace, retry and the end`() throws {
        try shop.store.setGrantsGracePeriod(true)
        try account.buy("gold.monthly")
        try account.setBillingFails(true)
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == ["DID_FAIL_TO_RENEW GRACE_PERIOD #1"])
        #expect(try shop.all.last?.status == 4)
        #expect(try shop.told { shop.advance(to: "2025-02-17T00:00:00Z") } == ["GRACE_PERIOD_EXPIRED #1"])
        #expect(try shop.all.last?.status == 3)
        #expect(try shop.told { shop.advance(to: "2025-04-02T00:00:00Z") } == ["EXPIRED BILLING_RETRY #1"])
        #expect(try shop.all.last?.status == 2)
    }

    @Test func `Without grace a renewal that fails is in retry, from which it recovers`() throws {
        try account.buy("gold.monthly")
        try account.setBillingFails(true)
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == ["DID_FAIL_TO_RENEW #1"])
        #expect(try shop.all.last?.status == 3)
        try shop.tells("DID_RENEW BILLING_RECOVERY #2") { try account.resolveBillingIssue(inGroup: "metals") }
        #expect(try shop.all.last?.status == 1)
    }

    @Test func `A subscription ends because its product is gone, or renewed often enough`() throws {
        try account.buy("gold.monthly")
        try shop.store.setAvailability(.withdrawn, of: "gold.monthly")
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == ["EXPIRED PRODUCT_NOT_FOR_SALE #1"])
        try shop.store.setRenewalLimit(0)
        try account.buy("silver.monthly")
        #expect(try shop.told { shop.advance(to: "2025-03-01T00:00:00Z") } == ["EXPIRED #2"])
        #expect(try shop.all.last?.renewal?.expirationIntent == .other)
    }

    @Test func `A higher price is asked for, agreed to, or ends the subscription`() throws {
        try account.buy("gold.monthly")
        try shop.tells("PRICE_INCREASE PENDING #1") { try shop.store.raisePrice(of: "gold.monthly", to: "12.99") }
        #expect(try shop.all.last?.renewal?.priceIncreaseStatus == .pending)
        try shop.tells("PRICE_INCREASE ACCEPTED #1") { try account.answerPriceConsent(.agree, inGroup: "metals") }
        shop.advance(to: "2025-02-01T00:00:00Z")
        try account.requestPriceIncreaseConsent(inGroup: "metals")
        #expect(try shop.told { shop.advance(to: "2025-03-01T00:00:00Z") } == ["EXPIRED PRICE_INCREASE #2"])
    }

    @Test func `A refund is told with the state that it leaves, and so is what takes it back`() throws {
        try account.buy("gold.monthly")
        #expect(try shop.told { try shop.store.refund("1") } == ["REFUND #1"])
        let refund = try #require(try shop.all.last)
        #expect(refund.status == 5 && refund.transaction?.revocationDate == PayloadDate(shop.market.clock.now))
        #expect(refund.renewal?.autoRenewStatus == .off)
        #expect(try shop.told { try shop.store.reverseRefund(of: "1") } == ["REFUND_REVERSED #1"])
        #expect(try shop.all.last?.status == 1 && shop.all.last?.transaction?.revocationDate == nil)
        // What was told is as it was.
        #expect(try shop.all.dropLast().last?.transaction == refund.transaction)
    }

    @Test func `A refund that is requested asks for the consumption, and may be declined`() throws {
        try account.buy("sword", "sword", "sword")
        shop.store.refundDecision = .ask
        try shop.tells("CONSUMPTION_REQUEST #1") { try shop.store.requestRefund(of: "1", reason: .fulfillmentIssue) }
        #expect(try shop.all.last?.consumptionRequestReason == "FULFILLMENT_ISSUE")
        #expect(try shop.told { try shop.store.requestRefund(of: "2") } == ["CONSUMPTION_REQUEST #2"])
        #expect(try shop.all.last?.consumptionRequestReason == nil)
        #expect(try shop.told { try shop.store.declineRefund(of: "1") } == ["REFUND_DECLINED #1"])
        #expect(try shop.told { try shop.store.refund("2") } == ["REFUND #2"])
        shop.store.refundDecision = .decline
        #expect(try shop.told { try shop.store.requestRefund(of: "3") } == ["REFUND_DECLINED #3"])
    }

    @Test func `What a report on the consumption decides is told`() throws {
        try account.buy("sword", "sword")
        shop.store.refundDecision = .followServer
        for identifier in ["1", "2"] { try shop.store.requestRefund(of: identifier) }
        let report = Data("{}".utf8)
        let granted = try shop.told {
            try shop.view.takeConsumption(report, of: "1", preference: .prorate(consumed: 25_000))
        }
        #expect(granted == ["REFUND #1"])
        let transaction = try #require(try shop.all.last?.transaction)
        #expect(transaction.revocationType == .proratedRefund && transaction.revocationPercentage == 75_000)
        #expect(
            try shop.told { try shop.view.takeConsumption(report, of: "2", preference: .decline) }
                == ["REFUND_DECLINED #2"]
        )
        #expect(try shop.told { try shop.view.takeConsumption(report, of: "2") } == [])
    }

    @Test func `An extension is told, and for all subscribers each of them and the sum`() throws {
        try account.buy("gold.monthly")
        #expect(
            try shop.told { _ = try shop.view.extendRenewal(of: "1", days: 10, reason: 1, request: "one") }
                == ["RENEWAL_EXTENDED #1"]
        )
        #expect(try shop.all.last?.transaction?.expiresDate == PayloadDate(Market.date("2025-02-11T00:00:00Z")))
        #expect(try shop.all.last?.renewal?.renewalDate == PayloadDate(Market.date("2025-02-11T00:00:00Z")))
        _ = try shop.view.extendRenewal(of: "1", days: 10, reason: 1, request: "two")
        try shop.store.addAccount("bob").buy("gold.monthly")
        try shop.store.addAccount("carl").buy("silver.monthly")
        let countries = ["USA", "DEU"]
        let told = try shop.told {
            try shop.view.extendRenewals(of: "gold.monthly", days: 5, reason: 0, request: "all", storefronts: countries)
        }
        #expect(told == ["RENEWAL_EXTENSION FAILURE #1", "RENEWAL_EXTENDED #2", "RENEWAL_EXTENSION SUMMARY"])
        let summary = try #require(try shop.all.last?.summary)
        #expect(summary.requestIdentifier == "all" && summary.productIdentifier == "gold.monthly")
        #expect(summary.storefrontCountryCodes == ["USA", "DEU"] && summary.succeededCount == 1)
        #expect(try summary.failedCount == 1 && shop.all.last?.transaction == nil)
    }

    @Test func `A test is told, and the withdrawal of consent`() throws {
        var token = ""
        #expect(try shop.told { token = try shop.view.requestTestNotification() } == ["TEST"])
        #expect(try shop.all.last?.testToken == token)
        #expect(try shop.view.requestTestNotification() != token)
        #expect(try shop.told { try account.rescindConsent() } == ["RESCIND_CONSENT"])
        #expect(try shop.all.last?.appTransaction == account.signedAppTransaction.payload)
    }
}
