import StoreCore
import StoreKit
import Testing

@Suite struct WinBackOfferTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline, selling: Shop.offerProducts) }

    private func option(_ identifier: String) async throws -> Product.PurchaseOption {
        let offers = try await shop.subscription("gold").winBackOffers
        return .winBackOffer(try #require(offers.first { $0.id == identifier }))
    }

    @Test(arguments: Shop.deliveries)
    func `A lapsed subscriber buys a win-back offer at its price`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery, selling: Shop.offerProducts)
        try shop.lapse()
        let before = try shop.charged
        let offer = try #require(try await shop.subscription("gold").winBackOffers.first { $0.id == "come.back" })
        let transaction = try await shop.bought("gold", [.winBackOffer(offer)])
        #expect(transaction.offer?.line == "winBack come.back PAY_UP_FRONT 2 Months")
        #expect(transaction.price == Decimal(string: "2.99"))
        #expect(try shop.charged - before == Decimal(string: "2.99"))
    }

    @Test func `Eligible offers are the renewal's from the subscription's end until it is sold again`() async throws {
        try await shop.bought("gold")
        #expect(try await shop.renewal().eligibleWinBackOfferIDs == [])
        try shop.endSubscription()
        #expect(try await shop.renewal().eligibleWinBackOfferIDs == ["come.back"])
        try await shop.bought("gold", [option("come.back")])
        #expect(try await shop.renewal().eligibleWinBackOfferIDs == [])
    }

    @Test func `A win-back offer that becomes eligible is a message`() async throws {
        for product in ["gold", "news"] { try await shop.bought(product) }
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        var messages = shop.context.run { Message.messages.makeAsyncIterator() }
        shop.store.advance(by: 20 * 86_400)
        // The next message, with which the wait ends in any case.
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: 20 * 86_400)
        #expect(await messages.next()?.reason == .winBackOffer)
        #expect(await messages.next()?.reason == .billingIssue)
    }

    @Test(arguments: ["news", "silver"])
    func `Whoever never subscribed to the group, or is subscribed, is not won back`(product: String) async throws {
        try shop.store.account.buy(product)
        try await shop.expectRefusal(.ineligibleForOffer, of: "gold", [option("come.back")])
    }

    @Test func `An offer that is set up for nobody wins nobody back`() async throws {
        try shop.lapse()
        try await shop.expectRefusal(.ineligibleForOffer, of: "gold", [option("not.you")])
    }

    @Test func `A win-back offer is its own product's`() async throws {
        try shop.lapse()
        try await shop.expectRefusal(.invalidOfferIdentifier, of: "silver", [option("come.back")])
    }

    @Test func `An offer of another kind lacks a win-back offer's identifier`() async throws {
        try shop.lapse()
        let subscription = try await shop.subscription("gold")
        for offer in subscription.promotionalOffers + [try #require(subscription.introductoryOffer)] {
            try await shop.expectRefusal(.missingOfferParameters, of: "gold", [.winBackOffer(offer)])
        }
    }

    @Test func `A win-back offer leaves the user eligible for the introductory one`() async throws {
        try shop.lapse()
        try await shop.bought("gold", [option("come.back")])
        #expect(try await shop.isEligibleForIntroductoryOffer())
    }

    @Test func `A win-back offer that is taken in the store is an update`() async throws {
        try shop.lapse()
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        // The purchase that made a subscriber.
        _ = await shop.run { await updates.next() }
        try shop.store.account.redeemWinBackOffer("come.back", of: "gold")
        let transaction = try #require(await shop.run { await updates.next() }).payloadValue
        #expect(transaction.offer?.line == "winBack come.back PAY_UP_FRONT 2 Months")
    }
}
