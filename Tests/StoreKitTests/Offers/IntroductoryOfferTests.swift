import StoreCore
import StoreKit
import Testing

@Suite struct IntroductoryOfferTests {
    private static func shop(_ offer: SandboxProduct.Offer) throws -> Shop {
        let month = StoreProduct.Period(1, .month)
        return try Shop(
            .inline,
            selling: [.autoRenewable("gold", price: "3.99", period: month, group: "club", introductoryOffer: offer)]
        )
    }
    @Test(
        arguments: [
            (.freeTrial(.init(1, .week)), "introductory nil FREE_TRIAL 1 Week", "0"),
            (
                .payAsYouGo(price: "0.99", every: .init(1, .month), times: 3),
                "introductory nil PAY_AS_YOU_GO 3 Months",
                "0.99"
            ),
            (.payUpFront(price: "1.49", for: .init(6, .month)), "introductory nil PAY_UP_FRONT 6 Months", "1.49"),
        ] as [(SandboxProduct.Offer, String, String)]
    )
    func `A first purchase is under the offer`(offer: SandboxProduct.Offer, line: String, price: String) async throws {
        let shop = try Self.shop(offer)
        let transaction = try await shop.bought("gold")
        #expect(transaction.offer?.line == line && transaction.price == Decimal(string: price))
        #expect(try shop.charged == Decimal(string: price))
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase under the introductory offer ends its group's eligibility`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery, selling: Shop.offerProducts)
        for product in ["gold", "silver", "news"] {
            #expect(try await shop.isEligibleForIntroductoryOffer(of: product))
        }
        #expect(try await shop.bought("gold").offer?.type == .introductory)
        #expect(try await !shop.isEligibleForIntroductoryOffer(of: "gold"))
        #expect(try await !shop.isEligibleForIntroductoryOffer(of: "silver"))
        #expect(try await shop.isEligibleForIntroductoryOffer(of: "news"))
    }

    @Test func `Whoever comes back has no second introductory offer`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        try await shop.bought("gold")
        try shop.endSubscription()
        let second = try await shop.bought("gold")
        #expect(second.offer == nil && second.price == Decimal(string: "3.99"))
        #expect(try shop.charged == Decimal(string: "3.99"))
    }

    @Test func `The offer's period is the transaction's, and the renewal costs the full price`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let trial = try await shop.bought("gold")
        #expect(trial.expirationDate == trial.purchaseDate + 7 * 86_400)
        let next = try await shop.renewal()
        #expect(next.offer == nil && next.renewalPrice == Decimal(string: "3.99"))
        shop.store.advance(by: 8 * 86_400)
        let renewal = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(renewal.originalID == trial.id && renewal.offer == nil && renewal.price == Decimal(string: "3.99"))
    }

    @Test func `An offer of several payments is that of as many periods`() async throws {
        let shop = try Self.shop(.payAsYouGo(price: "0.99", every: .init(1, .month), times: 2))
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        var lines = [try await shop.bought("gold").offer?.line]
        #expect(try await shop.renewal().offer?.line == "introductory nil PAY_AS_YOU_GO 2 Months")
        #expect(try await shop.renewal().renewalPrice == Decimal(string: "0.99"))
        for _ in 1...2 {
            shop.store.advance(by: 31 * 86_400)
            lines.append(try #require(await shop.run { await updates.next() }).payloadValue.offer?.line)
        }
        let offer = "introductory nil PAY_AS_YOU_GO 2 Months"
        #expect(lines == [offer, offer, nil])
        #expect(try shop.charged == Decimal(string: "5.97"))
    }

    @Test func `A purchase that does not come about leaves the user eligible`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        shop.store.authorizer = .always(.cancel)
        #expect(try await shop.buy("gold").name == "userCancelled")
        #expect(try await shop.isEligibleForIntroductoryOffer())
        shop.store.authorizer = .approving
        #expect(try await shop.bought("gold").offer?.type == .introductory)
    }

    @Test func `A pending purchase leaves the user eligible, and is under the offer once approved`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try await shop.buy("gold", [.simulatesAskToBuyInSandbox(true)]).name == "pending")
        #expect(try await shop.isEligibleForIntroductoryOffer())
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        let update = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(update.offer?.line == "introductory nil FREE_TRIAL 1 Week")
        #expect(try await !shop.isEligibleForIntroductoryOffer())
    }

    @Test func `Each account has an introductory offer of its own, and nobody has one while signed out`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        try await shop.bought("gold")
        try shop.store.device.signOut()
        #expect(try await !shop.isEligibleForIntroductoryOffer())
        try shop.store.device.signIn(to: try shop.store.addAccount("other"))
        #expect(try await shop.isEligibleForIntroductoryOffer())
        #expect(try await shop.bought("gold").offer?.type == .introductory)
    }
}
