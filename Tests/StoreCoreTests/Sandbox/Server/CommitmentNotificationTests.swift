import Foundation
import StoreCore
import Testing

/// The notifications about a year that is paid monthly.
@Suite struct CommitmentNotificationTests {
    private let shop: NotifiedShop
    private var account: SandboxAccount { shop.account }

    init() throws { shop = try NotifiedShop(CommittedSubscriber.products) }

    private func buy(_ plan: StoreProduct.BillingPlan) throws {
        var payment = StorePayment(productIdentifier: "year")
        payment.billingPlan = plan
        _ = try account.buy(payment)
    }

    @Test func `Each payment is a renewal, also after renewal was turned off, and then the subscription expires`()
        throws
    {
        try shop.tells("SUBSCRIBED INITIAL_BUY #1") { try buy(.monthly) }
        #expect(try shop.all.last?.transaction?.commitmentInfo?.billingPeriodNumber == 1)
        try shop.tells("DID_RENEW #2") { shop.advance(to: "2025-02-01T00:00:00Z") }
        try shop.tells("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED #2") {
            try account.setAutoRenew(false, inGroup: "metals")
        }
        let renewal = try #require(try shop.all.last?.renewal)
        #expect(renewal.autoRenewStatus == .on && renewal.commitmentInfo?.commitmentAutoRenewStatus == .off)
        let payments = try shop.told { shop.advance(to: "2025-12-31T00:00:00Z") }
        #expect(payments == (3...12).map { "DID_RENEW #\($0)" })
        #expect(try shop.all.last?.transaction?.commitmentInfo?.billingPeriodNumber == 12)
        try shop.tells("EXPIRED VOLUNTARY #12") { shop.advance(to: "2026-01-01T00:00:00Z") }
        #expect(try shop.all.last?.status == 2)
    }

    @Test func `A payment that fails is told without a grace period, and its recovery with the new end`() throws {
        try shop.store.setGrantsGracePeriod(true)
        try buy(.monthly)
        try account.setBillingFails(true)
        try shop.tells("DID_FAIL_TO_RENEW #1") { shop.advance(to: "2025-02-11T00:00:00Z") }
        #expect(try shop.all.last?.renewal?.isInBillingRetryPeriod == true && shop.all.last?.status == 3)
        try shop.tells("DID_RENEW BILLING_RECOVERY #2") { try account.resolveBillingIssue(inGroup: "metals") }
        let commitment = try #require(try shop.all.last?.transaction?.commitmentInfo)
        #expect(commitment.commitmentExpiresDate == payloadDate("2026-01-11T00:00:00Z"))
        shop.advance(to: "2025-03-10T00:00:00Z")
        try shop.tells("DID_FAIL_TO_RENEW #2", "EXPIRED BILLING_RETRY #2") { shop.advance(to: "2025-06-10T00:00:00Z") }
    }

    @Test func `A change of the plan that waits is a downgrade, and taken back by a purchase of the plan`() throws {
        try buy(.monthly)
        try shop.tells("DID_CHANGE_RENEWAL_PREF DOWNGRADE #1") { try buy(.upFront) }
        let commitment = try #require(try shop.all.last?.renewal?.commitmentInfo)
        #expect(commitment.commitmentRenewalBillingPlanType == .upFront)
        #expect(commitment.commitmentRenewalPrice == 99_990)
        try shop.tells("DID_CHANGE_RENEWAL_PREF #1") { try buy(.monthly) }
        try shop.tells("DID_CHANGE_RENEWAL_PREF UPGRADE #4") { try account.buy("top") }
    }
}
