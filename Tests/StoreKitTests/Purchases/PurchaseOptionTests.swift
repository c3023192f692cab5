import StoreCore
import StoreKit
import Testing

@Suite struct PurchaseOptionTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    // MARK: Quantity

    @Test(arguments: ["coins", "season"], [1, 2, 10])
    func `Consumables and what does not renew are sold up to ten a time`(product: String, quantity: Int) async throws {
        let one = try #require(await shop.finished(product).price)
        let several = try await shop.bought(product, [.quantity(quantity)])
        #expect(several.purchasedQuantity == quantity)
        #expect(several.price == one * Decimal(quantity))
        #expect(try shop.charged == one * Decimal(quantity + 1))
    }

    @Test(arguments: ["sword", "gold"]) func `What is owned only once is sold as one`(product: String) async throws {
        #expect(try await shop.bought(product, [.quantity(1)]).purchasedQuantity == 1)
    }

    @Test(
        arguments: [("coins", 0), ("coins", -1), ("coins", 11), ("season", 11), ("sword", 2), ("gold", 2), ("gold", 0)]
    )
    func `A quantity that is not sold is refused, and charges nothing`(product: String, quantity: Int) async throws {
        for delivery in Shop.deliveries {
            try await Shop(delivery).expectRefusal(.invalidQuantity, of: product, [.quantity(quantity)])
        }
    }

    // MARK: The app's user

    @Test func `A subscription's renewals and its renewal information carry the account token`() async throws {
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let token = UUID()
        #expect(try await shop.bought("gold", [.appAccountToken(token)]).appAccountToken == token)
        #expect(try await shop.renewal().appAccountToken == token)
        shop.store.advance(by: 32 * 86_400)
        let renewal = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(renewal.reason == .renewal && renewal.appAccountToken == token)
    }

    @Test func `A purchase without an account token has none`() async throws {
        #expect(try await shop.bought("gold").appAccountToken == nil)
        #expect(try await shop.renewal().appAccountToken == nil)
    }

    @Test func `The account token is the user's name in Store Kit 1, in lower case`() async throws {
        let token = UUID()
        try await shop.bought("coins", [.appAccountToken(token)])
        let payment = try #require(shop.queue.transactions.first?.payment)
        #expect(payment.applicationUsername == token.uuidString.lowercased())
    }

    // MARK: Ask to Buy

    @Test func `A purchase that simulates Ask to Buy is pending, and an update once it is approved`() async throws {
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try await shop.buy("coins", [.simulatesAskToBuyInSandbox(true), .quantity(2)]).name == "pending")
        #expect(try shop.charged == 0)
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        let update = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(update.productID == "coins" && update.purchasedQuantity == 2)
        #expect(try shop.charged == Decimal(string: "1.98"))
    }

    @Test func `A purchase that simulates Ask to Buy and is declined brings nothing`() async throws {
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try await shop.buy("coins", [.simulatesAskToBuyInSandbox(true)]).name == "pending")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .decline())
        try shop.store.account.buy("sword")
        // The subscriber hears of what comes next, and of nothing before.
        #expect(try #require(await shop.run { await updates.next() }).payloadValue.productID == "sword")
        #expect(try shop.charged == Decimal(string: "4.99"))
    }

    @Test func `A purchase that does not simulate Ask to Buy is bought at once`() async throws {
        #expect(try await shop.buy("coins", [.simulatesAskToBuyInSandbox(false)]).name == "success")
    }

    @Test func `A purchase that simulates Ask to Buy concerns no other`() async throws {
        #expect(try await shop.buy("coins", [.simulatesAskToBuyInSandbox(true)]).name == "pending")
        #expect(try await shop.buy("coins").name == "success")
    }

    // MARK: Promotional offers

    @Test func `A13: Two promotional offers that differ in the signature alone are equal`() {
        let nonce = UUID()
        func signed(_ signature: String, key: String = "K", timestamp: Int64 = 1) -> Product.PurchaseOption {
            // As the deprecated forms make it.
            let discount = StoreDiscount(
                identifier: "back",
                keyIdentifier: key,
                nonce: nonce,
                signature: signature,
                timestamp: timestamp
            )
            return Product.PurchaseOption(.discount(discount))
        }
        #expect(signed("a") == signed("b"))
        #expect(Set([signed("a"), signed("b")]).count == 1)
        #expect(signed("a") != signed("a", key: "L") && signed("a") != signed("a", timestamp: 2))
        func signed(jws: String, of offer: String = "back") -> [Product.PurchaseOption] {
            Product.PurchaseOption.promotionalOffer(offer, compactJWS: jws)
        }
        #expect(signed(jws: "h.p.a") == signed(jws: "h.p.b"))
        #expect(Set(signed(jws: "h.p.a") + signed(jws: "h.p.b")).count == 1)
        #expect(signed(jws: "h.p.a") != signed(jws: "h.q.a"))
        #expect(signed(jws: "h.p.a") != signed(jws: "h.p.a", of: "other"))
    }

    // MARK: Others

    @Test func `A subscription without monthly terms is billed up front, and not sold in monthly parts`() async throws {
        try await shop.expectRefusal(.productUnavailable, of: "gold", [.billingPlanType(.monthly)])
        #expect(try await shop.bought("gold", [.billingPlanType(.upFront)]).price == Decimal(string: "3.99"))
    }

    @Test(arguments: [
        Product.PurchaseOption.custom(key: "quantity", value: "9"), .custom(key: "quantity", value: 9.5),
        .custom(key: "quantity", value: true), .custom(key: "quantity", value: Data([9])),
    ])
    func `A custom option changes nothing`(option: Product.PurchaseOption) async throws {
        let transaction = try await shop.bought("coins", [option])
        #expect(transaction.purchasedQuantity == 1 && transaction.price == Decimal(string: "0.99"))
    }
}
