import Foundation
import StoreCore
import Testing

@Suite struct WinBackTests {
    private let shop: OfferShop

    init() throws { shop = try OfferShop() }

    private func take(_ offer: String) -> StoreFailure? {
        failure { try shop.account.redeemWinBackOffer(offer, of: "gold") }
    }

    @Test func `A win-back offer taken in the store is an ordinary purchased transaction`() throws {
        try shop.leave()
        let before = try shop.charged
        shop.app.recorder.clear()
        #expect(take("come.back") == nil)
        #expect(shop.app.received == [.updated("gold", .purchased)])
        #expect(shop.metals?.offer?.kind == .winBack && shop.metals?.offer?.identifier == "come.back")
        #expect(try shop.charged == before + OfferShop.price("2.99"))
        #expect(try shop.after(70 * 86_400).metals?.offer == nil && shop.charged > before + OfferShop.price("7.97"))
    }

    @Test func `Only who has left is won back`() throws {
        #expect(take("come.back")?.isStoreKit(.ineligibleForOffer) == true)
        shop.app.buy("silver")
        #expect(take("come.back")?.isStoreKit(.ineligibleForOffer) == true)
        try shop.account.setAutoRenew(false, inGroup: "metals")
        #expect(take("come.back")?.isStoreKit(.ineligibleForOffer) == true)
        shop.market.advance(to: "2025-02-01T00:00:00Z")
        #expect(take("come.back") == nil)
    }

    @Test func `A win-back offer has a switch that makes everybody ineligible`() throws {
        try shop.leave()
        #expect(take("not.you")?.isStoreKit(.ineligibleForOffer) == true)
        var gold = try #require(OfferShop.products.first)
        gold.subscription?.winBackOffers[1].isEligible = true
        try shop.store.register(gold)
        #expect(take("not.you") == nil)
    }

    @Test(arguments: ["winter", "nothing", ""])
    func `What is no win-back offer wins nobody back`(offer: String) throws {
        try shop.leave()
        #expect(take(offer)?.isStoreKit(.invalidOfferIdentifier) == true)
        #expect(shop.metals?.isRunning == false)
    }

    @Test func `A payment may name a win-back offer, with a signature like any other`() throws {
        #expect(try shop.bought("gold", under: "come.back")?.trouble == .storeKit(.ineligibleForOffer))
        try shop.leave()
        var discount = try shop.store.signedOffer("come.back", for: "gold")
        discount.nonce = UUID()
        #expect(shop.bought("gold", under: discount)?.trouble == .storeKit(.invalidSignature))
        try shop.buy("gold", under: "come.back")
        #expect(shop.lastState == .purchased && shop.metals?.offer?.kind == .winBack)
    }

    @Test func `A win-back offer that costs no less is not sold`() throws {
        try shop.leave()
        var gold = try #require(OfferShop.products.first)
        gold.price = OfferShop.price("1.00")
        try shop.store.register(gold)
        #expect(take("come.back")?.isStoreKit(.invalidOfferPrice) == true)
    }

    @Test func `What won an account back outlives the store`() throws {
        try shop.leave()
        #expect(take("come.back") == nil)
        let after = try OfferShop(on: "2025-03-01T00:00:00Z", ledger: shop.market.ledger)
        #expect(try after.metals == shop.metals && after.charged == shop.charged)
    }
}
