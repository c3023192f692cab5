import StoreCore
import StoreCrypto
import StoreKit
import Testing

@Suite struct PromotionalOfferTests {
    /// A store of a former subscriber.
    private let shop: Shop

    init() throws {
        shop = try Shop(.inline, selling: Shop.offerProducts)
        try shop.lapse()
    }

    // MARK: What is bought

    @Test(arguments: OfferForms.all) func `A signed offer is bought at its price`(form: any OfferForm) async throws {
        let before = try shop.charged
        let transaction = try await shop.bought("gold", form.options("spring", signedBy: shop.store))
        #expect(transaction.offer?.line == "promotional spring PAY_AS_YOU_GO 2 Months")
        #expect(transaction.price == Decimal(string: "0.99"))
        #expect(try shop.charged - before == Decimal(string: "0.99"))
    }

    @Test(arguments: [
        ("quarter", "promotional quarter PAY_UP_FRONT 3 Months", "5.99"),
        ("gift", "promotional gift FREE_TRIAL 2 Weeks", "0"),
    ])
    func `Each way to pay has its length and its price`(offer: String, line: String, price: String) async throws {
        let transaction = try await shop.bought("gold", JWSForm().options(offer, signedBy: shop.store))
        #expect(transaction.offer?.line == line && transaction.price == Decimal(string: price))
    }

    // As flutter/packages' tests do in a session.
    @Test(arguments: ["coins", "sword", "season"], OfferForms.all)
    func `What is no subscription has its price under any offer`(product: String, form: any OfferForm) async throws {
        let plain = try Shop(.inline)
        let transaction = try await plain.bought(product, form.options("spring", signedBy: shop.store))
        #expect(transaction.productID == product && transaction.offer == nil)
        #expect(try plain.charged == transaction.price)
    }

    @Test func `The renewals within the offer are under it, and the next one costs the full price`() async throws {
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        // The purchase that made a subscriber.
        _ = await shop.run { await updates.next() }
        try await shop.bought("gold", JWSForm().options("spring", signedBy: shop.store))
        #expect(try await shop.renewal().offer?.line == "promotional spring PAY_AS_YOU_GO 2 Months")
        var renewals: [Transaction] = []
        for _ in 1...2 {
            shop.store.advance(by: 31 * 86_400)
            renewals.append(try #require(await shop.run { await updates.next() }).payloadValue)
        }
        #expect(renewals.map(\.offer?.id) == ["spring", nil])
        #expect(renewals.map(\.price) == [Decimal(string: "0.99"), Decimal(string: "3.99")])
    }

    @Test func `A promotional offer leaves the user eligible for the introductory one`() async throws {
        try await shop.bought("gold", JWSForm().options("spring", signedBy: shop.store))
        #expect(try await shop.isEligibleForIntroductoryOffer())
    }

    @Test func `Whoever is subscribed to the product has the offer from the renewal on`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let trial = try await shop.bought("gold")
        let transaction = try await shop.bought("gold", JWSForm().options("spring", signedBy: shop.store))
        #expect(transaction.id == trial.id && transaction.offer?.type == .introductory)
        #expect(try shop.charged == 0)
        let next = try await shop.renewal()
        #expect(next.offer?.line == "promotional spring PAY_AS_YOU_GO 2 Months")
        #expect(next.renewalPrice == Decimal(string: "0.99"))
        shop.store.advance(by: 8 * 86_400)
        let renewal = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(renewal.offer?.line == "promotional spring PAY_AS_YOU_GO 2 Months")
        #expect(renewal.price == Decimal(string: "0.99"))
    }

    @Test(arguments: OfferForms.withToken)
    func `An account token is signed in lower case, and carried by the transaction`(form: any OfferForm) async throws {
        let token = UUID()
        var options = try form.options("spring", token: token, signedBy: shop.store)
        options.insert(.appAccountToken(token))
        let transaction = try await shop.bought("gold", options)
        #expect(transaction.appAccountToken == token && transaction.offer?.id == "spring")
    }

    @Test(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)), arguments: OfferForms.all)
    func `An offer that is signed as the App Store asks for is bought`(form: any OfferForm) async throws {
        let server = try P256OfferSigner(keyIdentifier: "ABC123")
        shop.store.offerSigners = [server]
        let options = try form.options("spring", signedBy: shop.store)
        // The store needs no more than the public half.
        shop.store.offerSigners = [try P256OfferSigner(keyIdentifier: "ABC123", publicKey: server.publicKey)]
        #expect(try await shop.bought("gold", options).offer?.id == "spring")
    }
}
