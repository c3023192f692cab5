import StoreCore
import StoreKit
import Testing

/// Promotional offers that are refused: each throws its error and charges nothing.
@Suite struct PromotionalRefusalTests {
    private static let signer = HMACOfferSigner(keyIdentifier: "key", key: Data("a secret".utf8))
    /// A store of a former subscriber.
    private let shop: Shop

    init() throws {
        shop = try Shop(.inline, selling: Shop.offerProducts)
        shop.store.offerSigners = [Self.signer]
        try shop.lapse()
    }

    /// Makes a store at the same time, to sign with.
    private func stranger(
        _ signer: any OfferSigner = Self.signer,
        bundleIdentifier: String = "com.example.app"
    ) throws -> SandboxStore {
        let clock = ManualClock(startingAt: shop.store.clock.now)
        let store = try SandboxStore(products: Shop.offerProducts, clock: clock, bundleIdentifier: bundleIdentifier)
        store.offerSigners = [signer]
        return store
    }

    @Test(arguments: OfferForms.all) func `The signature of another key is invalid`(form: any OfferForm) async throws {
        let other = try stranger(HMACOfferSigner(keyIdentifier: "key", key: Data("another".utf8)))
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", form.options("spring", signedBy: other))
        let own = try form.options("spring", signedBy: stranger())
        #expect(try await shop.bought("gold", own).offer?.id == "spring")
    }

    @Test(arguments: OfferForms.all)
    func `A key that the store does not know signs nothing`(form: any OfferForm) async throws {
        let other = try stranger(HMACOfferSigner(keyIdentifier: "other", key: Data("a secret".utf8)))
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", form.options("spring", signedBy: other))
    }

    @Test(arguments: OfferForms.all)
    func `A signature for another app or another product is invalid`(form: any OfferForm) async throws {
        let app = try stranger(bundleIdentifier: "com.example.other")
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", form.options("spring", signedBy: app))
        let product = try form.options("spring", for: "silver", signedBy: shop.store)
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", product)
    }

    @Test func `A proof of another offer is invalid`() async throws {
        let proof = try shop.store.compactJWS(for: .promotionalOffer("gift"), of: "gold")
        let options = Product.PurchaseOption.promotionalOffer("spring", compactJWS: proof)
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", Set(options))
    }

    @Test(arguments: ["", "word", "a.b.c"]) func `What is no JWS is an invalid signature`(text: String) async throws {
        let options = Product.PurchaseOption.promotionalOffer("spring", compactJWS: text)
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", Set(options))
    }

    @Test(arguments: OfferForms.all) func `A nonce serves one purchase`(form: any OfferForm) async throws {
        let nonce = UUID()
        let options = try form.options("quarter", nonce: nonce, signedBy: shop.store)
        try await shop.bought("gold", options)
        try shop.store.account.expireSubscription(inGroup: "club")
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", options)
        let other = try form.options("gift", nonce: nonce, signedBy: shop.store)
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", other)
    }

    @Test(arguments: OfferForms.all)
    func `A purchase that is canceled uses its nonce up`(form: any OfferForm) async throws {
        let options = try form.options("spring", signedBy: shop.store)
        shop.store.authorizer = .always(.cancel)
        #expect(try await shop.buy("gold", options).name == "userCancelled")
        shop.store.authorizer = .approving
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", options)
        #expect(try await shop.bought("gold", form.options("spring", signedBy: shop.store)).offer?.id == "spring")
    }

    @Test(arguments: OfferForms.all) func `A signature is good for a day`(form: any OfferForm) async throws {
        let (old, older) = (
            try form.options("spring", signedBy: shop.store), try form.options("spring", signedBy: shop.store)
        )
        shop.store.advance(by: 86_399)
        #expect(try await shop.bought("gold", old).offer?.id == "spring")
        shop.store.advance(by: 1)
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", older)
    }

    @Test(arguments: OfferForms.all)
    func `Whoever never subscribed is not eligible`(form: any OfferForm) async throws {
        let newcomer = try Shop(.inline, selling: Shop.offerProducts)
        let refused = try form.options("spring", signedBy: newcomer.store)
        try await newcomer.expectRefusal(.ineligibleForOffer, of: "gold", refused)
        try newcomer.store.account.buy("news")
        let options = try form.options("spring", signedBy: newcomer.store)
        #expect(try await newcomer.bought("gold", options).offer?.id == "spring")
    }

    @Test(arguments: OfferForms.all)
    func `An offer that the product does not have is unknown, whoever signed it`(form: any OfferForm) async throws {
        try await shop.expectRefusal(.invalidOfferIdentifier, of: "gold", form.options("autumn", signedBy: shop.store))
        let options = try form.options("spring", for: "silver", signedBy: shop.store)
        try await shop.expectRefusal(.invalidOfferIdentifier, of: "silver", options)
    }

    @Test(arguments: OfferForms.all)
    func `An offer that is not below the price is refused for its price`(form: any OfferForm) async throws {
        try await shop.expectRefusal(.invalidOfferPrice, of: "gold", form.options("no.gain", signedBy: shop.store))
    }

    @Test(arguments: OfferForms.all)
    func `An offer without its identifier is incomplete`(form: any OfferForm) async throws {
        try await shop.expectRefusal(.missingOfferParameters, of: "gold", form.options("", signedBy: shop.store))
    }

    @Test(arguments: OfferForms.withToken)
    func `A signature without the purchase's account token is invalid`(form: any OfferForm) async throws {
        var options = try form.options("spring", signedBy: shop.store)
        options.insert(.appAccountToken(UUID()))
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", options)
    }

    @Test func `A purchase is under one offer`() async throws {
        let signed = try PartsForm().options("spring", signedBy: shop.store)
        let proof = try JWSForm().options("gift", signedBy: shop.store)
        try await shop.expectRefusal(.productUnavailable, of: "gold", signed.union(proof))
    }
}
