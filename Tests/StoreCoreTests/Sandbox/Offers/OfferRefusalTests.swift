import Foundation
import StoreCore
import Testing

@Suite struct OfferRefusalTests {
    private let shop: OfferShop

    init() throws { shop = try OfferShop() }

    /// The last payment was refused for a reason in which these words are.
    private func expectRefusal(_ code: SKError.Code, _ words: String..., in other: OfferShop? = nil) {
        let shop = other ?? shop
        #expect(shop.lastTrouble == .storeKit(code))
        let reason = shop.app.recorder.transactions.last?.reason ?? ""
        for word in words { #expect(reason.contains(word), "\(reason)") }
    }

    /// A former subscriber of another group orders a subscription under an offer.
    private func buyAsFormer(_ product: String, under offer: String) throws {
        try shop.subscribeElsewhere()
        try shop.buy(product, under: offer)
    }

    @Test(arguments: ["spring", "gift "])
    func `B150: An offer that the product does not have is invalid`(offer: String) throws {
        try buyAsFormer("gold", under: offer)
        expectRefusal(.invalidOfferIdentifier, "gold", "\"\(offer)\"")
        #expect(try shop.metals == nil && shop.charged == OfferShop.price("1.99"))
    }

    @Test func `B150: An offer that was withdrawn is invalid`() throws {
        try shop.subscribeElsewhere()
        let discount = try shop.store.signedOffer("winter", for: "gold")
        try shop.store.register(.autoRenewable("gold", price: "4.99", period: .init(1, .month), group: "metals"))
        shop.buy("gold", under: discount)
        expectRefusal(.invalidOfferIdentifier, "winter")
    }

    @Test func `B150: What does not renew has no offers`() throws {
        try buyAsFormer("sword", under: "winter")
        expectRefusal(.invalidOfferIdentifier, "sword")
    }

    @Test func `B150: An offer of monthly billing cannot be bought with Store Kit 1`() throws {
        var offer = OfferShop.winter
        offer.billingPlan = .monthly
        var year = Market.subscription("year", level: 1, price: "49.99", .init(1, .year))
        year.subscription?.promotionalOffers = [offer]
        let news = SandboxProduct.autoRenewable("news", price: "1.99", period: .init(1, .month), group: "papers")
        let shop = try OfferShop([year, news])
        try shop.subscribeElsewhere()
        try shop.buy("year", under: "winter")
        expectRefusal(.invalidOfferIdentifier, "paid up front", in: shop)
    }

    private enum Part: String, CaseIterable {
        case identifier, keyIdentifier = "key identifier", nonce, signature, timestamp
    }

    @Test(arguments: Part.allCases)
    private func `B150: An incomplete discount has a code of its own`(part: Part) throws {
        try shop.subscribeElsewhere()
        var discount = try shop.store.signedOffer("winter", for: "gold")
        switch part {
        case .identifier: discount.identifier = ""
        case .keyIdentifier: discount.keyIdentifier = ""
        case .nonce: discount.nonce = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case .signature: discount.signature = ""
        case .timestamp: discount.timestamp = 0
        }
        shop.buy("gold", under: discount)
        expectRefusal(.missingOfferParams, part.rawValue, "gold")
    }

    @Test(arguments: ["no.gain", "no.gain.quarter"])
    func `B150: An offer that is not below the current price is refused`(offer: String) throws {
        try buyAsFormer("gold", under: offer)
        expectRefusal(.invalidOfferPrice, offer, "gold", "4.99")
    }

    @Test func `B150: The price that counts is the one of the day`() throws {
        try shop.subscribeElsewhere()
        var gold = try #require(OfferShop.products.first)
        gold.price = OfferShop.price("0.99")
        try shop.store.register(gold)
        try shop.buy("gold", under: "winter")
        expectRefusal(.invalidOfferPrice, "0.99")
        gold.price = OfferShop.price("1.00")
        try shop.store.register(gold)
        #expect(try shop.bought("gold", under: "winter")?.transactionState == .purchased)
    }

    @Test func `B150: Offers of a file that Xcode wrote are judged by what the same time costs`() throws {
        let news = SandboxProduct.autoRenewable("news", price: "1.99", period: .init(1, .month), group: "papers")
        let file = try RealFile.load("RevenueCat__purchases-ios__UnitTestsConfiguration")
        let shop = try OfferShop(file.products + [news])
        try shop.subscribeElsewhere()
        let product = "com.revenuecat.monthly_4.99.1_week_intro"
        try shop.buy(product, under: "\(product).pay_as_you_go")
        expectRefusal(.invalidOfferPrice, "pay_as_you_go", in: shop)
        try shop.buy(product, under: "\(product).year_discount")
        #expect(try shop.lastState == .purchased && shop.charged == OfferShop.price("42.98"))
    }

    @Test func `B150, B151: Who never subscribed may not have a promotional offer`() throws {
        try shop.buy("gold", under: "winter")
        expectRefusal(.ineligibleForOffer, "winter", "never")
        #expect(shop.metals == nil)
    }

    @Test(arguments: ["2025-01-02T00:00:00Z", "2026-01-01T00:00:00Z"])
    func `B151: Who is subscribed to anything, or was once, may have a promotional offer`(day: String) throws {
        try shop.subscribeElsewhere()
        shop.market.advance(to: day)
        #expect(try shop.bought("gold", under: "winter")?.transactionState == .purchased)
    }

    @Test func `B151: Another account's subscription makes nobody eligible`() throws {
        try shop.subscribeElsewhere()
        let app = App(on: try shop.store.addDevice("bob's", signedInTo: try shop.store.addAccount("bob")))
        shop.buy("gold", under: try shop.store.signedOffer("winter", for: "gold"), on: app)
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.ineligibleForOffer))
    }

    @Test func `Who is asked about an order hears what it costs under the offer`() throws {
        try shop.subscribeElsewhere()
        shop.store.authorizer = .always(.later)
        try shop.buy("gold", under: "quarter")
        #expect(shop.store.undecidedRequests.map(\.total) == [OfferShop.price("9.99")])
        try shop.after(3 * 86_400).store.decide(
            try #require(shop.store.undecidedRequests.first).transaction,
            as: .approve
        )
        #expect(try shop.metals?.offer?.identifier == "quarter" && shop.charged == OfferShop.price("11.98"))
    }

    @Test func `An order whose offer was withdrawn while it waited fails rather than cost more`() throws {
        try shop.subscribeElsewhere()
        shop.store.authorizer = .always(.askToBuy)
        try shop.buy("gold", under: "quarter")
        try shop.store.register(.autoRenewable("gold", price: "4.99", period: .init(1, .month), group: "metals"))
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        expectRefusal(.invalidOfferIdentifier, "quarter")
        #expect(try shop.store.undecidedRequests.isEmpty && shop.charged == OfferShop.price("1.99"))
    }
}
