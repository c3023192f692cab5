import StoreCore
import StoreKit
import Testing

/// The word of an app's server on who gets the introductory offer.
@Suite struct IntroductoryEligibilityTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline, selling: Shop.offerProducts) }

    private func option(
        _ grant: OfferClaims.Grant,
        for product: String = "gold",
        signedBy store: SandboxStore? = nil
    ) throws -> Product.PurchaseOption {
        .introductoryOfferEligibility(compactJWS: try (store ?? shop.store).compactJWS(for: grant, of: product))
    }

    @Test func `The app's server can grant the introductory offer to who has had it`() async throws {
        try await shop.bought("gold")
        try shop.endSubscription()
        let transaction = try await shop.bought("gold", [option(.introductoryOffer(isAllowed: true))])
        #expect(transaction.offer?.line == "introductory nil FREE_TRIAL 1 Week" && transaction.price == 0)
        #expect(try shop.charged == 0)
    }

    @Test func `The app's server can withhold the introductory offer from one purchase`() async throws {
        let transaction = try await shop.bought("gold", [option(.introductoryOffer(isAllowed: false))])
        #expect(transaction.offer == nil && transaction.price == Decimal(string: "3.99"))
        #expect(try await shop.isEligibleForIntroductoryOffer())
    }

    @Test func `The introductory offer that was granted ends the eligibility`() async throws {
        try await shop.bought("gold", [option(.introductoryOffer(isAllowed: true))])
        #expect(try await !shop.isEligibleForIntroductoryOffer())
    }

    @Test func `A grant for a product without an introductory offer buys at the full price`() async throws {
        let transaction = try await shop.bought("silver", [option(.introductoryOffer(isAllowed: true), for: "silver")])
        #expect(transaction.offer == nil && transaction.price == Decimal(string: "1.99"))
    }

    @Test func `The server's word serves one purchase`() async throws {
        let word = try option(.introductoryOffer(isAllowed: true))
        try await shop.bought("gold", [word])
        try shop.endSubscription()
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", [word])
    }

    @Test func `The server's word for something else is an invalid signature`() async throws {
        let stranger = try SandboxStore(products: Shop.offerProducts)
        let words = [
            try option(.introductoryOffer(isAllowed: true), for: "silver"), try option(.promotionalOffer("spring")),
            try option(.introductoryOffer(isAllowed: true), signedBy: stranger),
            .introductoryOfferEligibility(compactJWS: "word"),
        ]
        for word in words { try await shop.expectRefusal(.invalidOfferSignature, of: "gold", [word]) }
    }

    @Test func `What does not renew by itself has no introductory offer to be eligible for`() async throws {
        let word = try option(.introductoryOffer(isAllowed: true), for: "coins")
        try await shop.expectRefusal(.invalidOfferIdentifier, of: "coins", [word])
    }
}
