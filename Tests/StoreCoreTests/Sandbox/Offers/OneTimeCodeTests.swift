import Foundation
import StoreCore
import Testing

/// Offer codes of products that do not renew.
@Suite struct OneTimeCodeTests {
    private let shop: OfferShop

    private static let products: [SandboxProduct] = [
        SandboxProduct.consumable("coins", price: "0.99")
            .redeemable(with: "FREE", price: "0")
            .redeemable(with: "HALF", price: "0.49")
            .redeemable(with: "DEAR", price: "0.99")
            .redeemable(with: "FOR.NEW", price: "0.10", eligibility: .new)
            .redeemable(with: "FOR.EXISTING", price: "0.20", eligibility: .existing)
            .redeemable(with: "FOR.EXPIRED", price: "0.30", eligibility: .expired),
        .nonConsumable("castle", price: "4.99").redeemable(with: "CASTLE", price: "1.99"),
        .nonRenewing("season", price: "9.99").redeemable(with: "SEASON", price: "4.99"),
        .autoRenewable("news", price: "1.99", period: .init(1, .month), group: "papers"),
    ]

    init() throws { shop = try OfferShop(Self.products) }

    private func redeem(_ code: String, of product: String? = nil) -> StoreFailure? {
        failure { try shop.account.redeem(code: code, of: product) }
    }

    private func payload(_ identifier: String) throws -> TransactionPayload {
        try shop.store.signedTransaction(identifier).payload
    }

    @Test(arguments: [("FREE", "coins", "0"), ("CASTLE", "castle", "1.99"), ("SEASON", "season", "4.99")])
    func `A18: A code sells a product that does not renew at its offer's price`(
        code: String,
        product: String,
        price: String
    ) throws {
        shop.store.codeEntry = .redeem(code: code)
        shop.app.queue.presentCodeRedemptionSheet()
        shop.app.queue.settle()
        #expect(shop.app.recorder.history == [.updated(product, .purchased), .removed(product)])
        let transaction = try #require(try shop.store.transactions.last)
        #expect(try transaction.chargedAmount == amount(price) && shop.charged == amount(price))
        let payload = try payload(transaction.id)
        #expect(payload.offerType == .code && payload.offerIdentifier == code)
        #expect(payload.offerDiscountType == .oneTime && payload.offerPeriod == nil)
        #expect(payload.price == Int64(truncating: amount(price) * 1000 as NSDecimalNumber))
        #expect(try "\(shop.store.timeline)".contains("code offer \"\(code)\" redeemed for \(price)"))
    }

    @Test func `The sheet's reply is the redeemed transaction, and nil if the user cancels`() throws {
        let replies = Locked<[Result<String?, StoreFailure>]>([])
        for entry in [CodeEntry.redeem(code: "FREE"), .cancel, .redeem(code: "FREE")] {
            shop.store.codeEntry = entry
            shop.store.device.presentCodeRedemptionSheet { reply in replies.withLock { $0.append(reply) } }
        }
        let all = replies.withLock { $0 }
        #expect(try all[0].get() == shop.store.transactions.first?.id)
        #expect(try all[1].get() == nil)
        #expect(throws: StoreFailure.self) { try all[2].get() }
    }

    @Test func `Every device of the account hears of it until one has finished it`() throws {
        shop.app.queue.remove(shop.app.recorder)
        let phone = App(on: shop.store, finishes: false)
        let tablet = App(on: try shop.store.addDevice("tablet", signedInTo: shop.account), finishes: false)
        let identifier = try shop.account.redeem(code: "HALF")
        for app in [phone, tablet] { #expect(app.recorder.transactions.map(\.transactionIdentifier) == [identifier]) }
        tablet.queue.finishTransaction(try #require(tablet.recorder.transactions.first))
        #expect(phone.recorder.history.last == .removed("coins"))
    }

    private enum Standing: CaseIterable { case new, existing, expired }

    @Test(arguments: Standing.allCases, [false, true])
    private func `A code is for customers who paid as its offer says`(standing: Standing, byRenewal: Bool) throws {
        if standing != .new { shop.app.buy(byRenewal ? "news" : "coins") }
        if byRenewal, standing == .expired { try shop.account.setAutoRenew(false, inGroup: "papers") }
        // The last payment for a subscription that renews is that of its last renewal.
        let isLater = standing == .expired || byRenewal && standing == .existing
        if isLater { shop.market.clock.advance(by: 40 * 86_400) }
        let codes: [(String, Standing)] = [("FOR.NEW", .new), ("FOR.EXISTING", .existing), ("FOR.EXPIRED", .expired)]
        for (code, wanted) in codes where wanted != standing {
            let failure = redeem(code)
            #expect(failure?.isStoreKit(.ineligibleForOffer) == true && failure?.reason.contains(code) == true)
        }
        for (code, wanted) in codes where wanted == standing { #expect(redeem(code) == nil) }
    }

    @Test func `A payment counts for 30 days, and what is free does not count`() throws {
        #expect(redeem("FREE") == nil)
        #expect(redeem("FOR.EXISTING")?.reason.contains("never paid") == true)
        shop.app.buy("coins")
        shop.market.clock.advance(by: 30 * 86_400)
        #expect(redeem("FOR.EXPIRED") != nil)
        shop.market.clock.advance(by: 1)
        #expect(redeem("FOR.EXISTING") != nil)
        try shop.store.clearTransactions()
        #expect(redeem("FOR.NEW") == nil)
    }

    @Test func `An account redeems an offer once, unless the transaction is deleted`() throws {
        let first = try shop.account.redeem(code: "HALF")
        #expect(redeem("HALF")?.reason.contains("before") == true)
        let again = try OfferShop(Self.products, ledger: shop.market.ledger)
        #expect(failure { try again.account.redeem(code: "HALF") }?.isStoreKit(.ineligibleForOffer) == true)
        try shop.store.addAccount("bob").redeem(code: "HALF")
        try shop.store.deleteTransaction(first)
        #expect(redeem("HALF") == nil)
    }

    @Test func `The offers of two products that have one name are redeemed once each`() throws {
        let products = [SandboxProduct.consumable("coins", price: "0.99"), .nonConsumable("castle", price: "4.99")]
        let shop = try OfferShop(products.map { $0.redeemable(with: "GIFT", price: "0.49") })
        for product in ["coins", "castle"] { try shop.account.redeem(code: "GIFT", of: product) }
        let again = failure { try shop.account.redeem(code: "GIFT", of: "coins") }
        #expect(again?.isStoreKit(.ineligibleForOffer) == true)
        #expect(try shop.charged == amount("0.98"))
    }

    @Test func `The payment of a redeemed code buys again, at the full price`() throws {
        try shop.account.redeem(code: "HALF")
        shop.app.queue.settle()
        shop.app.queue.add(try #require(shop.app.recorder.transactions.last).payment)
        shop.app.queue.settle()
        #expect(try shop.lastTrouble == nil && shop.charged == amount("1.48"))
        try shop.account.redeem(code: "CASTLE")
        shop.app.queue.settle()
        shop.app.restore()
        let restored = try #require(shop.app.recorder.transactions.last)
        for payment in [restored.payment, try #require(restored.original).payment] {
            shop.app.queue.add(payment)
            shop.app.queue.settle()
            #expect(shop.lastTrouble == nil && shop.lastState == .purchased)
        }
    }

    @Test func `A code is refused with the reason, and is not used up by that`() throws {
        #expect(redeem("DEAR")?.isStoreKit(.invalidOfferPrice) == true)
        #expect(redeem("NONE")?.isStoreKit(.invalidOfferIdentifier) == true)
        #expect(
            redeem("FREE", of: "castle")?.reason == "castle has no offer behind the code \"FREE\"; it has \"CASTLE\""
        )
        try shop.store.setAvailability(.withdrawn, of: "coins")
        #expect(redeem("FREE")?.isStoreKit(.paymentInvalid) == true)
        try shop.store.setAvailability(.onSale, of: "coins")
        #expect(redeem("FREE") == nil)
        let castle = try shop.account.buy("castle")
        #expect(redeem("CASTLE")?.reason == "the offer \"CASTLE\" is for castle, which this account owns")
        try shop.store.refund(castle)
        #expect(redeem("CASTLE") == nil)
    }

    @Test func `In a country with a price of its own, an offer has to be below that`() throws {
        let coins = SandboxProduct.consumable("coins", price: "2").redeemable(with: "ONE", price: "1")
        let shop = try OfferShop([coins.priced("0.90", in: "DEU")])
        try shop.store.setStorefront("DEU")
        #expect(failure { try shop.account.redeem(code: "ONE") }?.isStoreKit(.invalidOfferPrice) == true)
    }

    @Test func `A test's order under a code costs its offer's price for each item, and redeems it`() throws {
        let offer = StoreOffer(kind: .code, identifier: "HALF")
        func order(_ product: String) { shop.app.order(product) { ($0.offer, $0.quantity) = (offer, 2) } }
        order("coins")
        #expect(shop.lastTrouble == .storeKit(.missingOfferParams))
        shop.store.acceptsTestPurchases = true
        order("season")
        #expect(shop.lastTrouble == .storeKit(.invalidOfferIdentifier))
        order("coins")
        #expect(try shop.lastTrouble == nil && shop.charged == amount("0.98"))
        #expect(try payload(try #require(shop.store.transactions.last?.id)).offerIdentifier == "HALF")
        order("coins")
        #expect(shop.lastTrouble == .storeKit(.ineligibleForOffer))
    }

    @Test func `An order under a code that waits is refused where the code has been redeemed meanwhile`() throws {
        shop.store.acceptsTestPurchases = true
        try shop.account.setAsksToBuy(true)
        shop.app.order("coins", under: StoreOffer(kind: .code, identifier: "HALF"))
        #expect(redeem("HALF") == nil)
        try shop.store.decide(shop.store.undecidedRequests[0].transaction, as: .approve)
        shop.app.queue.settle()
        #expect(try shop.store.transactions.first?.failure?.isStoreKit(.ineligibleForOffer) == true)
    }

    @Test func `A restored purchase is under its code too, and a share in it is not`() throws {
        var castle = SandboxProduct.nonConsumable("castle", price: "4.99", isFamilyShareable: true)
        castle = castle.redeemable(with: "CASTLE", price: "1.99")
        let shop = try OfferShop([castle])
        let bob = try shop.store.addAccount("bob")
        try shop.store.addFamily("smiths", organizer: shop.account).add(bob)
        try shop.account.redeem(code: "CASTLE")
        shop.app.restore()
        let restored = try #require(try shop.store.transactions.last { $0.origin == .restoration })
        #expect(try shop.store.signedTransaction(restored.id).payload.offerIdentifier == "CASTLE")
        #expect(try bob.signedTransactions.map(\.payload.productId) == ["castle"])
        #expect(try bob.signedTransactions.map(\.payload.offerType) == [nil])
    }

    @Test func `Offers that cannot be are refused with the product`() {
        func reason(_ product: SandboxProduct) -> String? {
            do { _ = try SandboxStore(products: [product]) } catch { return "\(error)" }
            return nil
        }
        let coins = SandboxProduct.consumable("coins", price: "1")
        #expect(reason(coins.redeemable(with: "A", price: "0.5")) == nil)
        #expect(reason(coins.redeemable(with: "", price: "0"))?.contains("without an identifier") == true)
        #expect(reason(coins.redeemable(with: "A", decimalPrice: -1))?.contains("at least 0") == true)
        let news = SandboxProduct.autoRenewable("news", price: "1", period: .init(1, .month), group: "papers")
        #expect(reason(news.redeemable(with: "A", price: "0"))?.contains("not its subscription's") == true)
        let free = SandboxProduct.freeSubscription("free").redeemable(with: "A", price: "0")
        #expect(reason(free)?.contains("free subscription") == true)
    }

    @Test func `A product without offers is encoded as before there were any, and one with them keeps them`() throws {
        let plain = SandboxProduct.consumable("coins", price: "1")
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(plain)) as? [String: Any]
        #expect(object?["oneTimeCodeOffers"] == nil && object?.isEmpty == false)
        let rich = plain.redeemable(with: "A", price: "0.5", eligibility: [.new, .expired])
        let decoded = try JSONDecoder().decode(SandboxProduct.self, from: JSONEncoder().encode(rich))
        #expect(decoded == rich && decoded.offerCodes.map(\.eligibility) == [[.new, .expired]])
    }
}
