import Foundation
import StoreCore
import StoreKit
import Testing

/// A year in monthly payments, as an app of Store Kit 2 buys and reads it.
@Suite struct CommitmentPurchaseTests {
    private let shop: Shop

    private static let year: SandboxProduct = {
        let back = SandboxProduct.Offer.payAsYouGo(price: "4.99", every: .init(1, .month), identifier: "back")
        var year = SandboxProduct.autoRenewable("year", price: "99.99", period: .init(1, .year), group: "club")
            .billedMonthly(price: "9.99", introductoryOffer: .freeTrial(.init(1, .week)))
        year.subscription?.winBackOffers = [.init(back.billedMonthly())]
        return year
    }()

    init() throws { shop = try Shop(.inline, selling: [Self.year] + Shop.products) }

    private func terms() async throws -> [Product.SubscriptionInfo.PricingTerms] {
        try await shop.subscription("year").pricingTerms
    }

    private var renewal: Product.SubscriptionInfo.RenewalInfo {
        get async throws {
            let statuses = try await shop.run { try await Product.SubscriptionInfo.status(for: "club") }
            return try #require(statuses.first).renewalInfo.payloadValue
        }
    }

    @Test func `The product has terms for both plans, each with its offers`() async throws {
        let terms = try await terms()
        #expect(terms.map(\.billingPlanType) == [.upFront, .monthly])
        #expect(terms.map(\.billingDisplayPrice) == ["$99.99", "$9.99"])
        #expect(terms.map(\.commitmentInfo.displayPrice) == ["$99.99", "$119.88"])
        #expect(terms.map { "\($0.billingPeriod)" } == ["1 Year", "1 Month"])
        #expect(terms[0].subscriptionOffers.isEmpty)
        #expect(terms[1].subscriptionOffers.map(\.type) == [.introductory, .winBack])
    }

    @Test func `A product with monthly terms only is sold up front as well`() async throws {
        var year = Self.year
        year.subscription?.billingPlans.removeFirst()
        let shop = try Shop(.inline, selling: [year])
        let terms = try await shop.subscription("year").pricingTerms
        #expect(terms.map(\.billingPlanType) == [.upFront, .monthly] && terms[0].billingPrice == Self.year.price)
    }

    @Test func `A product that is no year has no monthly terms, in which it is not sold`() async throws {
        let month = SandboxProduct.autoRenewable("month", price: "9.99", period: .init(1, .month), group: "club")
            .billedMonthly(price: "9.99", introductoryOffer: .freeTrial(.init(1, .week)))
        let shop = try Shop(.inline, selling: [month])
        let subscription = try await shop.subscription("month")
        #expect(subscription.pricingTerms.map(\.billingPlanType) == [.upFront])
        #expect(subscription.pricingTerms.flatMap(\.subscriptionOffers).isEmpty)
    }

    @Test func `A purchase with the option is paid monthly, after the trial`() async throws {
        let trial = try await shop.bought("year", [.billingPlanType(.monthly)])
        #expect(trial.billingPlanType == .monthly && trial.commitmentInfo == nil && trial.offer?.type == .introductory)
        shop.store.advance(by: 8 * 86_400)
        let payment = try #require(await shop.run { await Transaction.latest(for: "year") }).payloadValue
        let commitment = try #require(payment.commitmentInfo)
        #expect(payment.billingPlanType == .monthly && payment.price == Decimal(string: "9.99"))
        #expect(commitment.billingPeriodNumber == 1 && commitment.totalBillingPeriods == 12)
        #expect(commitment.price == Decimal(string: "119.88"))
        #expect(commitment.expirationDate > (try #require(payment.expirationDate)))
    }

    @Test func `Renewal that is turned off shows in the commitment's renewal alone`() async throws {
        try await shop.bought("year", [.billingPlanType(.monthly)])
        #expect(try await renewal.commitmentInfo == nil)
        shop.store.advance(by: 8 * 86_400)
        let before = try await renewal
        let commitment = try #require(before.commitmentInfo)
        #expect(commitment.willAutoRenew && commitment.autoRenewPreference == "year")
        #expect(commitment.renewalBillingPlanType == .monthly && commitment.renewalPrice == Decimal(string: "9.99"))
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        let after = try await renewal
        #expect(after.willAutoRenew && after.autoRenewPreference == "year" && after.renewalBillingPlanType == .monthly)
        #expect(after.commitmentInfo?.willAutoRenew == false)
        #expect(after.commitmentInfo?.renewalDate == commitment.renewalDate)
    }

    @Test func `A win-back offer of the monthly terms is bought with the option`() async throws {
        try await shop.bought("year", [.billingPlanType(.monthly)])
        try shop.store.account.expireSubscription(inGroup: "club")
        let offer = try #require(try await terms()[1][offers: .winBack].first)
        let transaction = try await shop.bought("year", [.billingPlanType(.monthly), .winBackOffer(offer)])
        #expect(transaction.offer?.id == "back" && transaction.price == Decimal(string: "4.99"))
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 1)
    }
}
