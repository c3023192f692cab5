import StoreCore
import StoreKitTest
import Testing

/// A session's purchases under offers of Store Kit 2.
@Suite struct BuyWithOffersTests {
    private let app: TestApp
    private var session: SKTestSession { app.session }

    init() throws { app = try TestApp("Offers") }

    /// Buys the subscription that has offers.
    @discardableResult
    private func buy(_ options: Set<Product.PurchaseOption> = []) async throws -> Transaction {
        try await session.buyProduct(identifier: "pro.monthly", options: options)
    }

    /// Makes the account a former subscriber, who has had no offer.
    private func lapse() async throws {
        try await session.buyProduct(identifier: "basic.monthly")
        try session.expireSubscription(productIdentifier: "basic.monthly")
    }

    /// Expects a purchase to throw an error, and to leave nothing behind.
    private func expectRefusal(
        _ error: Product.PurchaseError,
        _ options: Set<Product.PurchaseOption>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (list, charged) = (app.list, try session.store.account.totalCharged)
        await #expect(throws: error, sourceLocation: sourceLocation) { try await buy(options) }
        #expect(app.list == list, sourceLocation: sourceLocation)
        #expect(try session.store.account.totalCharged == charged, sourceLocation: sourceLocation)
    }

    private var isEligibleForIntroductoryOffer: Bool {
        get async { await app.context.run { await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "20000000") } }
    }

    private func check(
        _ transaction: Transaction,
        _ type: Transaction.OfferType,
        _ identifier: String?,
        _ price: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(transaction.offer?.type == type, sourceLocation: sourceLocation)
        #expect(transaction.offer?.id == identifier, sourceLocation: sourceLocation)
        #expect(transaction.price == Decimal(string: price), sourceLocation: sourceLocation)
    }

    @Test func `A consumable is bought under its code, once`() async throws {
        let options: Set<Product.PurchaseOption> = [.codeOffer(referenceName: "SWORDS")]
        let sword = try await session.buyProduct(identifier: "sword", options: options)
        check(sword, .code, "SWORDS", "0.49")
        #expect(sword.offer?.paymentMode == .oneTime)
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
            try await session.buyProduct(identifier: "sword", options: options)
        }
    }

    // MARK: The introductory offer

    @Test func `A first purchase is under the introductory offer, until transactions are cleared`() async throws {
        #expect(await isEligibleForIntroductoryOffer)
        check(try await buy(), .introductory, nil, "0")
        #expect(await !isEligibleForIntroductoryOffer)
        session.clearTransactions()
        #expect(await isEligibleForIntroductoryOffer)
        check(try await buy(), .introductory, nil, "0")
    }

    @Test func `The word of the app's server on the introductory offer counts`() async throws {
        func word(_ isAllowed: Bool) throws -> Product.PurchaseOption {
            let proof = try session.store.compactJWS(for: .introductoryOffer(isAllowed: isAllowed), of: "pro.monthly")
            return .introductoryOfferEligibility(compactJWS: proof)
        }
        let full = try await buy([word(false)])
        #expect(full.offer == nil && full.price == Decimal(string: "9.99"))
        for _ in 1...2 {
            try session.expireSubscription(productIdentifier: "pro.monthly")
            check(try await buy([word(true)]), .introductory, nil, "0")
        }
    }

    @Test func `Of a subscription in the past the first period is the introductory offer's`() async throws {
        let start = app.clock.now - 20 * 86_400
        let trial = try await buy([.purchaseDate(start)])
        check(trial, .introductory, nil, "0")
        #expect(trial.expirationDate == start + 7 * 86_400)
        let latest = try #require(await app.context.run { await Transaction.latest(for: "pro.monthly") }).payloadValue
        #expect(latest.purchaseDate == trial.expirationDate && latest.offer == nil)
    }

    // MARK: Promotional offers

    @Test func `A promotional offer needs no signature in a test`() async throws {
        try await lapse()
        check(try await buy([.promotionalOffer(id: "spring")]), .promotional, "spring", "0.99")
    }

    @Test func `A promotional offer is for who is or was subscribed, signed or not`() async throws {
        try await expectRefusal(.ineligibleForOffer, [.promotionalOffer(id: "spring")])
        let proof = try session.store.compactJWS(for: .promotionalOffer("spring"), of: "pro.monthly")
        let options = Product.PurchaseOption.promotionalOffer("spring", compactJWS: proof)
        try await expectRefusal(.ineligibleForOffer, Set(options))
    }

    @Test func `A promotional offer that is signed is bought once, and a false signature buys nothing`() async throws {
        try await lapse()
        let proof = try session.store.compactJWS(for: .promotionalOffer("spring"), of: "pro.monthly")
        let forged = Product.PurchaseOption.promotionalOffer("spring", compactJWS: String(proof.reversed()))
        try await expectRefusal(.invalidOfferSignature, Set(forged))
        let signed = Set(Product.PurchaseOption.promotionalOffer("spring", compactJWS: proof))
        check(try await buy(signed), .promotional, "spring", "0.99")
        try session.expireSubscription(productIdentifier: "pro.monthly")
        try await expectRefusal(.invalidOfferSignature, signed)
    }

    // MARK: Codes

    @Test func `A code's offer is bought by its reference name, and is an update`() async throws {
        app.shop.finishes = false
        var updates = app.context.run { Transaction.updates.makeAsyncIterator() }
        let bought = try await buy([.codeOffer(referenceName: "FRIENDS")])
        check(bought, .code, "FRIENDS", "0")
        #expect(try await updates.next()?.payloadValue == bought)
    }

    @Test func `A code's offer serves an account once`() async throws {
        try await buy([.codeOffer(referenceName: "FRIENDS")])
        try session.expireSubscription(productIdentifier: "pro.monthly")
        try await expectRefusal(.ineligibleForOffer, [.codeOffer(referenceName: "FRIENDS")])
    }

    // MARK: Win-back offers

    @Test func `A win-back offer is for who has left`() async throws {
        let product = try await app.context.run { try await Product.products(for: ["pro.monthly"]) }.first
        let offer = try #require(product?.subscription?.winBackOffers.first)
        try await expectRefusal(.ineligibleForOffer, [.winBackOffer(offer)])
        try await lapse()
        check(try await buy([.winBackOffer(offer)]), .winBack, "come.back", "2.99")
    }

    // MARK: Ask to Buy

    @Test func `A purchase that simulates Ask to Buy is bought all the same`() async throws {
        try await buy([.simulatesAskToBuyInSandbox(true)])
        #expect(app.list == ["0 pro.monthly purchased"] && session.store.undecidedRequests.isEmpty)
    }
}
