import Foundation
import StoreCore
import Testing

@Suite struct PromotionalOfferTests {
    private let shop: OfferShop

    init() throws { shop = try OfferShop() }

    @Test func `B138, B139, B140: A product shows its promotional offers with identifier, mode and length`() throws {
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: ["gold"], backend: shop.store, delivery: .inline)
        request.delegate = delegate
        request.start()
        let product = try #require(delegate.responses.first?.products.first)
        #expect(product.discounts.map(\.identifier) == ["winter", "quarter", "gift", "no.gain", "no.gain.quarter"])
        #expect(product.discounts.allSatisfy { $0.type == .subscription })
        let modes = product.discounts.map(\.paymentMode)
        #expect(modes == [.payAsYouGo, .payUpFront, .freeTrial, .payAsYouGo, .payUpFront])
        #expect(product.discounts.prefix(3).map(\.price.decimalValue) == ["0.99", "9.99", "0"].map(OfferShop.price))
        #expect(product.discounts.prefix(3).map(\.numberOfPeriods) == [2, 1, 1])
        #expect(product.discounts[1].subscriptionPeriod == SKProductSubscriptionPeriod(numberOfUnits: 3, unit: .month))
        #expect(product.introductoryPrice?.type == .introductory)
    }

    @Test func `B139, B148: Pay as you go costs the offer's price for each of its periods, then the full one`() throws {
        try shop.subscribeElsewhere()
        try shop.buy("gold", under: "winter")
        let history = shop.app.recorder.history(of: "gold")
        #expect(history.prefix(2) == [.updated("gold", .purchasing), .updated("gold", .purchased)])
        #expect(shop.metals?.offer?.kind == .promotional && shop.metals?.offer?.identifier == "winter")
        #expect(try shop.metals?.introductoryOffer == nil && shop.charged == OfferShop.price("2.98"))
        #expect(try shop.at("2025-02-01T00:00:00Z").charged == OfferShop.price("3.97"))
        #expect(try shop.at("2025-03-01T00:00:00Z").charged == OfferShop.price("8.96") && shop.metals?.offer == nil)
    }

    @Test func `B139: Pay up front costs once for the whole time`() throws {
        try shop.subscribeElsewhere()
        try shop.buy("gold", under: "quarter")
        #expect(try shop.charged == OfferShop.price("11.98"))
        #expect(shop.metals?.expirationDate == Market.date("2025-04-01T00:00:00Z"))
        #expect(try shop.at("2025-04-01T00:00:00Z").charged == OfferShop.price("16.97"))
    }

    @Test func `B139: A free offer costs nothing for its time`() throws {
        try shop.subscribeElsewhere()
        try shop.buy("gold", under: "gift")
        #expect(try shop.charged == OfferShop.price("1.99") && shop.metals?.offer?.paymentMode == .freeTrial)
    }

    @Test func `B151: A promotional offer leaves the introductory one for later`() throws {
        try shop.subscribeElsewhere()
        try shop.buy("gold", under: "gift")
        try shop.account.setAutoRenew(false, inGroup: "metals")
        shop.at("2025-03-01T00:00:00Z").app.buy("gold")
        #expect(shop.metals?.introductoryOffer == .freeTrial)
    }

    @Test func `Who is subscribed to the product has the offer from the renewal on, for nothing until then`() throws {
        shop.app.buy("gold")
        #expect(try shop.bought("gold", under: "quarter")?.transactionState == .purchased && shop.charged == 0)
        #expect(shop.metals?.offer?.kind == .introductory && shop.metals?.waitingOffer?.identifier == "quarter")
        #expect(shop.at("2025-01-08T00:00:00Z").metals?.offer?.identifier == "quarter")
        #expect(shop.metals?.waitingOffer == nil && shop.metals?.expirationDate == Market.date("2025-04-08T00:00:00Z"))
        #expect(try shop.charged == OfferShop.price("9.99"))
        #expect(try shop.at("2025-04-08T00:00:00Z").metals?.offer == nil && shop.charged == OfferShop.price("14.98"))
    }

    @Test func `Who changes to a higher level has the offer at once, to a lower one from the renewal on`() throws {
        shop.app.buy("silver")
        try shop.buy("gold", under: "quarter")
        #expect(shop.metals?.productIdentifier == "gold" && shop.metals?.offer?.identifier == "quarter")
        try shop.buy("silver", under: "gift")
        #expect(shop.metals?.productIdentifier == "gold" && shop.metals?.renewsAs == "silver")
        shop.market.advance(to: "2025-04-01T00:00:00Z")
        #expect(shop.metals?.productIdentifier == "silver" && shop.metals?.offer?.identifier == "gift")
        #expect(try shop.charged == OfferShop.price("12.98"))
    }

    @Test func `An offer that goes on is used up before the next one begins`() throws {
        try shop.subscribeElsewhere()
        try shop.buy("gold", under: "winter")
        try shop.buy("gold", under: "quarter")
        shop.market.advance(to: "2025-02-01T00:00:00Z")
        #expect(shop.metals?.offer?.identifier == "winter" && shop.metals?.waitingOffer?.identifier == "quarter")
        shop.market.advance(to: "2025-03-01T00:00:00Z")
        #expect(shop.metals?.offer?.identifier == "quarter" && shop.metals?.waitingOffer == nil)
    }

    @Test func `A waiting offer gives way to the next one, and goes with its product`() throws {
        shop.app.buy("gold")
        try shop.buy("gold", under: "quarter")
        try shop.buy("gold", under: "winter")
        #expect(shop.metals?.waitingOffer?.identifier == "winter")
        shop.app.buy("gold")
        #expect(shop.metals?.waitingOffer?.identifier == "winter")
        shop.app.buy("silver")
        #expect(shop.metals?.waitingOffer == nil)
        try shop.buy("silver", under: "gift")
        try shop.account.setAutoRenew(false, inGroup: "metals")
        #expect(shop.at("2025-01-08T00:00:00Z").metals?.isRunning == false && shop.metals?.waitingOffer == nil)
    }

    @Test func `Of several offers with one identifier the first counts, whatever the others cost`() throws {
        let file = try RealFile.load("space-code__flare__Flare")
        let news = SandboxProduct.autoRenewable("news", price: "1.99", period: .init(1, .month), group: "papers")
        let shop = try OfferShop(file.products + [news])
        try shop.subscribeElsewhere()
        let product = "com.flare.monthly_0.99.1_week_intro"
        try shop.buy(product, under: product)
        // It costs what the product costs; the third is free.
        #expect(shop.lastTrouble == .storeKit(.invalidOfferPrice))
    }

    @Test func `The receipts of a term name the promotional offer that it is under`() throws {
        try shop.subscribeElsewhere()
        shop.app.queue.remove(shop.app.recorder)
        let other = App(on: shop.store, finishes: false)
        try shop.buy("gold", under: shop.store.signedOffer("quarter", for: "gold"), on: other)
        shop.market.advance(to: "2025-04-01T00:00:00Z")
        let gold = other.recorder.transactions.filter { $0.payment.productIdentifier == "gold" }
        let fields = try gold.map { shop.store.verify(receipt: try #require($0.transactionReceipt)).fields }
        #expect(fields.map { $0["promotional_offer_id"] } == ["quarter", nil])
        #expect(fields.map { $0["is_in_intro_offer_period"] } == ["false", "false"])
        let terms = try shop.store.purchases().filter { $0.productIdentifier == "gold" }.compactMap(\.subscription)
        #expect(terms.map(\.promotionalOfferIdentifier) == ["quarter", nil])
        #expect(terms.map(\.isInIntroductoryOfferPeriod) == [false, false])
    }
}
