import StoreCore
import StoreKit
import Testing

extension Shop {
    /// A subscription with offers of every kind, one of its group without any, and one of another group.
    static let offerProducts: [SandboxProduct] = [
        .autoRenewable(
            "gold",
            price: "3.99",
            period: .init(1, .month),
            group: "club",
            level: 1,
            introductoryOffer: .freeTrial(.init(1, .week)),
            promotionalOffers: [
                .payAsYouGo(price: "0.99", every: .init(1, .month), times: 2, identifier: "spring"),
                .payUpFront(price: "5.99", for: .init(3, .month), identifier: "quarter"),
                .freeTrial(.init(2, .week), identifier: "gift"),
                .payAsYouGo(price: "3.99", every: .init(1, .month), identifier: "no.gain"),
            ],
            offerCodes: [
                .init(.freeTrial(.init(1, .month), identifier: "FRIENDS")),
                .init(.payUpFront(price: "1.99", for: .init(2, .month), identifier: "NEW"), eligibility: .new),
                .init(
                    .payAsYouGo(price: "0.49", every: .init(1, .month), times: 3, identifier: "STACK"),
                    isStackable: true
                ),
            ],
            winBackOffers: [
                .init(.payUpFront(price: "2.99", for: .init(2, .month), identifier: "come.back")),
                .init(.freeTrial(.init(1, .month), identifier: "not.you"), isEligible: false),
            ]
        ),
        .autoRenewable("silver", price: "1.99", period: .init(1, .month), group: "club", level: 2),
        .autoRenewable("news", price: "0.49", period: .init(1, .month), group: "papers"),
        .consumable("coins", price: "0.99").redeemable(with: "COINS", price: "0.49"),
    ]

    var charged: Decimal { get throws { try store.account.totalCharged } }

    /// Shows the sheet for offer codes, and returns the transaction.
    @MainActor func redeemed() async throws -> VerificationResult<Transaction> {
        try await run { try await AppStore.presentOfferCodeRedeemSheet() }
    }

    /// Makes the account a former subscriber of the group "club", who has had no offer.
    func lapse() throws {
        try store.account.buy("silver")
        try endSubscription()
    }

    /// Ends the account's subscription in the group "club" with its period.
    func endSubscription() throws {
        try store.account.setAutoRenew(false, inGroup: "club")
        store.advance(by: 100 * 86_400)
    }

    /// Whether the account may have an introductory offer, as the product and its group say alike.
    func isEligibleForIntroductoryOffer(of product: String = "gold") async throws -> Bool {
        let subscription = try await subscription(product)
        let isEligible = await run { await subscription.isEligibleForIntroOffer }
        let group = subscription.subscriptionGroupID
        #expect(await run { await Product.SubscriptionInfo.isEligibleForIntroOffer(for: group) } == isEligible)
        return isEligible
    }

    func subscription(_ product: String) async throws -> Product.SubscriptionInfo {
        try #require(try await run { try await Product.products(for: [product]) }.first?.subscription)
    }

    /// Returns how the account's subscription in the group "club" renews.
    func renewal() async throws -> Product.SubscriptionInfo.RenewalInfo {
        let status = try await run { try await Product.SubscriptionInfo.status(for: "club") }
        return try #require(status.first).renewalInfo.payloadValue
    }

    /// Expects a purchase to throw an error, and to leave nothing behind.
    func expectRefusal(
        _ error: Product.PurchaseError,
        of product: String,
        _ options: Set<Product.PurchaseOption>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (before, history) = (try charged, await run { await Transaction.all.all() })
        let queued = queue.transactions.count
        await #expect(throws: error, sourceLocation: sourceLocation) { try await buy(product, options) }
        #expect(try charged == before, sourceLocation: sourceLocation)
        #expect(queue.transactions.count == queued, sourceLocation: sourceLocation)
        #expect(await run { await Transaction.all.all() }.count == history.count, sourceLocation: sourceLocation)
    }
}

extension Transaction.Offer {
    /// The offer's four values in one line.
    var line: String {
        let kinds: [Transaction.OfferType: String] = [
            .introductory: "introductory", .promotional: "promotional", .code: "code", .winBack: "winBack",
        ]
        let length = period.map { "\($0)" } ?? "no period"
        return "\(kinds[type] ?? "unknown") \(id ?? "nil") \(paymentMode?.rawValue ?? "no mode") \(length)"
    }
}
