import Foundation
import StoreCore
import Testing

/// What a server is told of offers, and of families.
@Suite struct NotificationOfferTests {
    @Test func `An offer that a subscriber takes is told as redeemed, with the change that it brings`() throws {
        let shop = try NotifiedShop(OfferShop.products)
        let account = shop.account
        try shop.tells("SUBSCRIBED INITIAL_BUY #1") { _ = try account.redeem(code: "FOR.NEW", of: "gold") }
        #expect(try shop.all.last?.transaction?.offerType == .code)
        #expect(try shop.told { _ = try account.redeem(code: "TWICE", of: "gold") } == ["OFFER_REDEEMED #1"])
    }

    @Test func `An offer for a lower level is a downgrade, one for a higher level an upgrade`() throws {
        let shop = try NotifiedShop(OfferShop.products)
        try shop.account.buy("gold")
        try shop.tells("OFFER_REDEEMED DOWNGRADE #1") { _ = try shop.account.redeem(code: "TWICE", of: "silver") }
        let other = try NotifiedShop(OfferShop.products)
        try other.account.buy("silver")
        try other.tells("OFFER_REDEEMED UPGRADE #2") { _ = try other.account.redeem(code: "TWICE", of: "gold") }
    }

    @Test func `A18: A code for a product that does not renew is told as its purchase`() throws {
        let shop = try NotifiedShop([.consumable("coins", price: "1").redeemable(with: "COINS", price: "0.5")])
        try shop.tells("ONE_TIME_CHARGE #1") { _ = try shop.account.redeem(code: "COINS") }
        let told = try #require(try shop.all.last?.transaction)
        #expect(told.offerType == .code && told.offerIdentifier == "COINS" && told.offerDiscountType == .oneTime)
    }

    @Test func `A win-back offer subscribes anew`() throws {
        let shop = try NotifiedShop(OfferShop.products)
        try shop.account.buy("gold")
        try shop.account.expireSubscription(inGroup: "metals")
        try shop.tells("SUBSCRIBED RESUBSCRIBE #2") { _ = try shop.account.redeemWinBackOffer("come.back", of: "gold") }
        #expect(try shop.all.last?.transaction?.offerType == .winBack)
    }

    @Test func `What a member of the family receives is not told, and what it loses is`() throws {
        let shop = try NotifiedShop(Household.products)
        let bob = try shop.store.addAccount("bob")
        let family = try shop.store.addFamily("smiths", organizer: shop.account)
        try family.add(bob)
        #expect(try shop.told { try shop.account.buy("tv.monthly") } == ["SUBSCRIBED INITIAL_BUY #1"])
        #expect(try shop.told { try shop.account.buy("album") } == ["ONE_TIME_CHARGE #3"])
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == ["DID_RENEW #5"])
        #expect(try shop.told { try shop.store.refund("3") } == ["REFUND #3", "REVOKE #4"])
        let revoked = try #require(try shop.all.last)
        #expect(revoked.transaction?.inAppOwnershipType == .familyShared)
        #expect(revoked.transaction?.revocationType == .familyRevoke && revoked.status == nil)
        #expect(try shop.told { try family.remove(bob) } == ["REVOKE #6"])
        #expect(try shop.all.last?.status == 5)
    }
}
