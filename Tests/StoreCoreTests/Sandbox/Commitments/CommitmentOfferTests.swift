import Foundation
import StoreCore
import Testing

/// Offers for buyers who pay a year monthly.
@Suite struct CommitmentOfferTests {
    private typealias Offer = SandboxProduct.Offer

    /// A subscriber to a year with those offers for monthly payments, and others for a year that is paid up front.
    private func subscriber(_ introductory: SandboxProduct.Offer? = nil) throws -> CommittedSubscriber {
        func month(_ identifier: String) -> Offer {
            .payAsYouGo(price: "4.99", every: .init(1, .month), times: 2, identifier: identifier)
        }
        func year(_ identifier: String) -> Offer { .freeTrial(.init(2, .month), identifier: identifier) }
        var product = CommittedSubscriber.year("year", level: 2, price: "99.99")
            .billedMonthly(price: "9.99", introductoryOffer: introductory)
        product.subscription?.introductoryOffers.append(.freeTrial(.init(1, .month)))
        product.subscription?.promotionalOffers = [month("monthly").billedMonthly(), year("yearly")]
        product.subscription?.offerCodes = [.init(month("MONTHLY").billedMonthly()), .init(year("YEARLY"))]
        product.subscription?.winBackOffers = [
            .init(month("monthly.back").billedMonthly()), .init(year("yearly.back")),
        ]
        return try CommittedSubscriber([product, CommittedSubscriber.products[4]])
    }

    @Test func `A trial precedes the commitment, and can be left`() throws {
        let subscriber = try subscriber(.freeTrial(.init(1, .week)))
        try subscriber.buyMonthly("year")
        let trial = try subscriber.signed
        #expect(trial.transaction.price == 0 && trial.transaction.billingPlanType == .monthly)
        #expect(trial.transaction.expiresDate == payloadDate("2025-01-08T00:00:00Z"))
        #expect(trial.transaction.commitmentInfo == nil && trial.renewal.commitmentInfo == nil)
        #expect(trial.renewal.renewalPrice == 9990 && trial.renewal.renewalBillingPlanType == .monthly)
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        #expect(try !subscriber.metals.willRenew)
        try subscriber.account.setAutoRenew(true, inGroup: "metals")
        let first = try #require(try subscriber.at("2025-01-08T00:00:00Z").metals.commitment)
        #expect(first.billingPeriodNumber == 1 && first.expirationDate == Market.date("2026-01-08T00:00:00Z"))
    }

    @Test func `Months at a lower price are payments of the commitment`() throws {
        let subscriber = try subscriber(.payAsYouGo(price: "1.99", every: .init(1, .month), times: 3))
        try subscriber.buyMonthly("year")
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 1)
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        let third = try subscriber.at("2025-03-01T00:00:00Z").signed
        #expect(third.transaction.offerType == .introductory && third.transaction.price == 1990)
        #expect(third.transaction.commitmentInfo?.billingPeriodNumber == 3 && third.renewal.renewalPrice == 9990)
        #expect(try subscriber.at("2025-04-01T00:00:00Z").signed.transaction.offerType == nil)
        #expect(try subscriber.at("2026-01-01T00:00:00Z").metals.endReason == .autoRenewDisabled)
        #expect(try subscriber.charged == "95.88")
    }

    @Test func `Each buyer gets the introductory offer of the plan`() throws {
        let monthly = try subscriber()
        try monthly.buyMonthly("year")
        #expect(try monthly.metals.offer == nil && monthly.charged == "9.99")
        let upFront = try subscriber(.freeTrial(.init(1, .week)))
        try upFront.account.buy("year")
        #expect(try upFront.metals.expirationDate == Market.date("2025-02-01T00:00:00Z"))
    }

    @Test(arguments: [StoreOffer.Kind.promotional, .code, .winBack])
    func `An offer applies to buyers under its plan only`(kind: StoreOffer.Kind) throws {
        let subscriber = try subscriber()
        try subscriber.account.buy("small")
        if kind == .winBack { try subscriber.account.expireSubscription(inGroup: "metals") }
        let suffix = kind == .winBack ? ".back" : ""
        func name(_ plan: String) -> String { kind == .code ? plan.uppercased() : plan + suffix }
        func offer(_ plan: String) -> StoreOffer { StoreOffer(kind: kind, identifier: name(plan), proof: nil) }
        #expect(throws: StoreFailure.self) { try subscriber.buyMonthly("year") { $0.offer = offer("yearly") } }
        #expect(throws: StoreFailure.self) {
            var payment = StorePayment(productIdentifier: "year")
            payment.offer = offer("monthly")
            _ = try subscriber.account.buy(payment)
        }
        try subscriber.buyMonthly("year") { $0.offer = offer("monthly") }
        #expect(try subscriber.metals.offer?.identifier == name("monthly"))
        #expect(try subscriber.signed.transaction.price == 4990)
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 1)
    }

    @Test func `A code for monthly payments begins a commitment in the store itself`() throws {
        let subscriber = try subscriber()
        try subscriber.account.redeem(code: "MONTHLY")
        let transaction = try subscriber.signed.transaction
        #expect(transaction.billingPlanType == .monthly && transaction.offerIdentifier == "MONTHLY")
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 1)
    }

    @Test func `A lapsed subscriber can take the win-back offers of both plans`() throws {
        let subscriber = try subscriber()
        try subscriber.buyMonthly("year")
        try subscriber.account.expireSubscription(inGroup: "metals")
        #expect(try subscriber.signed.renewal.eligibleWinBackOfferIds == ["monthly.back", "yearly.back"])
        try subscriber.account.redeemWinBackOffer("monthly.back", of: "year")
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 1)
    }

    @Test func `An offer that is taken within a commitment begins with the next`() throws {
        let subscriber = try subscriber()
        try subscriber.buyMonthly("year")
        try subscriber.account.redeem(code: "MONTHLY")
        #expect(try subscriber.metals.waitingOffer?.identifier == "MONTHLY")
        let renewal = try subscriber.signed.renewal
        #expect(renewal.offerIdentifier == nil && renewal.renewalPrice == 9990)
        #expect(renewal.commitmentInfo?.commitmentRenewalPrice == 4990)
        #expect(try subscriber.at("2025-12-31T00:00:00Z").charged == "119.88")
        #expect(try subscriber.at("2026-01-01T00:00:00Z").charged == "124.87")
        #expect(try subscriber.metals.waitingOffer == nil && subscriber.metals.offer?.identifier == "MONTHLY")
    }
}
