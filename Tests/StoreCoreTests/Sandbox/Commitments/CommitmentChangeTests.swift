import Foundation
import StoreCore
import Testing

/// Changes of product and plan, failed payments, and refunds within a commitment.
@Suite struct CommitmentChangeTests {
    private let subscriber: CommittedSubscriber

    init() throws { subscriber = try CommittedSubscriber.committed() }

    // MARK: Products and plans

    @Test func `A higher level ends the commitment at once`() throws {
        try subscriber.at("2025-03-10T00:00:00Z").account.buy("top")
        let metals = try subscriber.metals
        #expect(metals.productIdentifier == "top" && metals.commitment == nil)
        #expect(metals.expirationDate == Market.date("2026-03-10T00:00:00Z"))
        #expect(try subscriber.signed.transaction.billingPlanType == .upFront)
        #expect(try subscriber.charged == "229.96")
    }

    @Test(arguments: [
        ("small", "2026-02-01T00:00:00Z"), ("month", "2026-02-01T00:00:00Z"), ("year", "2027-01-01T00:00:00Z"),
    ])
    func `Another product or plan waits for the end of the commitment`(product: String, end: String) throws {
        try subscriber.at("2025-03-10T00:00:00Z").account.buy(product)
        let metals = try subscriber.metals
        #expect(metals.productIdentifier == "year" && metals.renewsAs == "year")
        #expect(metals.commitment?.renewsAs == product)
        let renewal = try subscriber.signed.renewal
        #expect(renewal.autoRenewProductId == "year" && renewal.renewalBillingPlanType == .monthly)
        #expect(renewal.commitmentInfo?.commitmentAutoRenewProductId == product)
        #expect(renewal.commitmentInfo?.commitmentRenewalBillingPlanType == .upFront)
        let last = try subscriber.at("2025-12-31T00:00:00Z").metals
        #expect(last.productIdentifier == "year" && last.renewsAs == product)
        let next = try subscriber.at("2026-01-01T00:00:00Z").metals
        #expect(next.productIdentifier == product && next.commitment == nil)
        #expect(next.expirationDate == Market.date(end))
    }

    @Test func `A product of the same level, length and plan begins a commitment of its own at once`() throws {
        try subscriber.at("2025-03-10T00:00:00Z").buyMonthly("other")
        let metals = try subscriber.metals
        #expect(metals.productIdentifier == "other" && metals.commitment?.billingPeriodNumber == 1)
        #expect(metals.commitment?.expirationDate == Market.date("2026-03-10T00:00:00Z"))
    }

    @Test func `The same product under the other plan waits for the end of a year that is paid`() throws {
        let upFront = try CommittedSubscriber()
        try upFront.account.buy("year")
        try upFront.at("2025-03-10T00:00:00Z").buyMonthly("year")
        #expect(try upFront.metals.commitment == nil && upFront.charged == "99.99")
        let renewal = try upFront.signed.renewal
        #expect(renewal.renewalBillingPlanType == .monthly && renewal.renewalPrice == 9990)
        let next = try #require(try upFront.at("2026-01-01T00:00:00Z").metals.commitment)
        #expect(next.billingPeriodNumber == 1 && next.expirationDate == Market.date("2027-01-01T00:00:00Z"))
    }

    @Test func `Buying the same again takes a change back, and turns renewal on`() throws {
        try subscriber.account.buy("small")
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        try subscriber.buyMonthly("year")
        let commitment = try #require(try subscriber.metals.commitment)
        #expect(commitment.willRenew && commitment.renewsAs == "year" && commitment.billingPeriodNumber == 1)
        #expect(try subscriber.charged == "9.99")
    }

    @Test func `The timeline has the payments, and the date of a change`() throws {
        try subscriber.at("2025-02-10T00:00:00Z").account.buy("small")
        let timeline = try "\(subscriber.store.timeline)"
        #expect(timeline.contains("until 2025-02-01 00:00:00, payment 1 of 12"))
        #expect(timeline.contains("renewed until 2025-03-01 00:00:00 for 9.99, payment 2 of 12"))
        #expect(timeline.contains("held until 2026-01-01 00:00:00, and renews as this"))
    }

    // MARK: Failed payments

    @Test func `A payment that fails has no grace period, and moves the end when it is recovered`() throws {
        try subscriber.store.setGrantsGracePeriod(true)
        try subscriber.account.setBillingFails(true)
        let failed = try subscriber.at("2025-02-01T00:00:00Z").metals
        #expect(failed.state == .inBillingRetryPeriod && failed.gracePeriodExpirationDate == nil)
        #expect(subscriber.account.entitlements.isEmpty)
        // The payment is due all the same.
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        #expect(try subscriber.metals.state == .inBillingRetryPeriod)
        try subscriber.at("2025-02-11T00:00:00Z").account.resolveBillingIssue(inGroup: "metals")
        let recovered = try #require(try subscriber.metals.commitment)
        #expect(recovered.billingPeriodNumber == 2 && !recovered.willRenew)
        #expect(recovered.expirationDate == Market.date("2026-01-11T00:00:00Z"))
        try subscriber.account.setBillingFails(false)
        #expect(try subscriber.at("2026-01-10T23:59:59Z").metals.isRunning)
        #expect(try subscriber.at("2026-01-11T00:00:00Z").metals.endReason == .autoRenewDisabled)
        #expect(try subscriber.charged == "119.88")
    }

    @Test func `A payment that failed is none of the twelve, even where a renewal arrives unpaid`() throws {
        subscriber.store.quirks = [.renewsInBillingRetry]
        try subscriber.account.setBillingFails(true)
        #expect(try subscriber.at("2025-02-10T00:00:00Z").metals.commitment?.billingPeriodNumber == 1)
        try subscriber.account.setBillingFails(false)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 2)
        #expect(try subscriber.charged == "19.98")
    }

    @Test func `A payment that failed is retried for 90 days`() throws {
        try subscriber.account.setBillingFails(true)
        #expect(try subscriber.at("2025-05-01T23:59:59Z").metals.state == .inBillingRetryPeriod)
        #expect(try subscriber.at("2025-05-02T00:00:00Z").metals.state == .expired)
    }

    @Test func `A payment that is never recovered ends the commitment`() throws {
        try subscriber.account.setBillingFails(true)
        let over = try subscriber.at("2025-06-01T00:00:00Z").metals
        #expect(over.state == .expired && over.endReason == .billingError && over.commitment == nil)
        // Whoever subscribes again begins a new one.
        try subscriber.account.setBillingFails(false)
        try subscriber.buyMonthly("year")
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 1)
    }

    // MARK: Refunds, and acts of the operator

    @Test func `The refund of an earlier month leaves the commitment`() throws {
        try subscriber.at("2025-03-10T00:00:00Z").store.refund("2")
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 3)
        #expect(try subscriber.at("2025-04-10T00:00:00Z").metals.commitment?.billingPeriodNumber == 4)
    }

    @Test func `The refund of the running month ends the commitment, and its reversal resumes it`() throws {
        try subscriber.at("2025-03-10T00:00:00Z").store.refund("3")
        #expect(try subscriber.metals.endReason == .revoked && subscriber.metals.commitment == nil)
        try subscriber.store.reverseRefund(of: "3")
        #expect(try subscriber.at("2025-04-10T00:00:00Z").metals.commitment?.billingPeriodNumber == 4)
    }

    @Test func `A payment that is forced early moves the end, and one that ends the subscription ends it`() throws {
        try subscriber.at("2025-01-11T00:00:00Z").account.forceRenewal(inGroup: "metals")
        let commitment = try #require(try subscriber.metals.commitment)
        #expect(commitment.billingPeriodNumber == 2)
        #expect(commitment.expirationDate == Market.date("2025-12-11T00:00:00Z"))
        try subscriber.account.expireSubscription(inGroup: "metals")
        #expect(try subscriber.metals.state == .expired)
        #expect(try subscriber.at("2026-06-01T00:00:00Z").charged == "19.98")
    }
}
