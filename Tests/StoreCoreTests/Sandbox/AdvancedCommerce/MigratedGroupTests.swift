import Foundation
import StoreCore
import Testing

/// The group that a migrated subscription leaves, and what happened there before.
@Suite struct MigratedGroupTests {
    private typealias Request = RequestShop

    private static let month = StoreProduct.Period(1, .month)

    /// The product of the newest transaction, and its charge.
    private func newest(_ shop: RequestShop) throws -> String {
        let transaction = try #require(try shop.account.transactions.last)
        return "\(transaction.productIdentifier) \(transaction.chargedAmount ?? 0)"
    }

    @Test func `A subscription that was in a bundle once is migrated`() throws {
        let films = SandboxProduct.autoRenewable("films", price: "3.99", period: Self.month, group: "films")
        let all = SandboxProduct.subscriptionBundle(
            "all",
            price: "5.99",
            period: Self.month,
            group: "bundles",
            members: ["films"]
        )
        let shop = try RequestShop([films, all])
        try shop.account.buy("all")
        try shop.account.expireSubscription(inGroup: "bundles")
        let alone = try shop.account.buy("films")
        try shop.perform(.migrate, of: alone, Request.migration)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try newest(shop) == "\(Request.subscription) 3.99")
    }

    @Test func `Where the product has a price of its own, a migrated subscription renews at that`() throws {
        let silver = SandboxProduct.autoRenewable("silver", price: "4.99", period: Self.month, group: "coins")
            .priced("5.99", in: "DEU")
        let shop = try RequestShop([silver])
        let first = try shop.account.buy("silver")
        try shop.store.raisePrice(of: "silver", to: "6.99")
        try shop.account.answerPriceConsent(.decline, inGroup: "coins")
        try shop.account.setAutoRenew(true, inGroup: "coins")
        try shop.store.setStorefront("DEU")
        try shop.perform(.migrate, of: first, Request.migration)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try newest(shop) == "\(Request.subscription) 5.99")
    }

    @Test func `A migrated subscription stays one if an earlier change of products is deleted`() throws {
        let high = SandboxProduct.autoRenewable("high", price: "9.99", period: Self.month, group: "levels", level: 1)
        let low = SandboxProduct.autoRenewable("low", price: "4.99", period: Self.month, group: "levels", level: 2)
        let shop = try RequestShop([high, low])
        let app = App(on: shop.store)
        app.buy("high")
        app.buy("low")
        let ids = try shop.account.transactions.map(\.id)
        try shop.perform(.migrate, of: ids[0], Request.migration)
        try shop.store.deleteTransaction(ids[1])
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try newest(shop) == "\(Request.subscription) 4.99")
        #expect(shop.account.subscription(inGroup: "levels") == nil)
    }

    @Test func `The introductory offer of the group that a migrated subscription has left was used`() throws {
        let trial = SandboxProduct.autoRenewable(
            "trial",
            price: "4.99",
            period: Self.month,
            group: "trials",
            introductoryOffer: .freeTrial(.init(1, .week)),
            offerCodes: [
                .init(.freeTrial(Self.month, identifier: "fresh"), eligibility: .new),
                .init(.freeTrial(Self.month, identifier: "again"), eligibility: .expired),
            ]
        )
        let shop = try RequestShop([trial])
        let first = try shop.account.buy("trial")
        shop.market.advance(to: "2025-01-10T00:00:00Z")
        try shop.perform(.migrate, of: first, Request.migration)
        shop.market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try newest(shop) == "\(Request.subscription) 4.99")
        #expect(throws: StoreFailure.self) { try shop.account.redeem(code: "fresh", of: "trial") }
        try shop.account.buy("trial")
        #expect(try newest(shop) == "trial 4.99")
        try shop.account.expireSubscription(inGroup: "trials")
        try shop.account.redeem(code: "again", of: "trial")
        #expect(try newest(shop) == "trial 0")
    }

    @Test func `Of two periods that began at one moment only the second is cut short`() throws {
        let shop = try RequestShop()
        let first = try shop.buy(Request.create())
        let second = try shop.buy(Request.modify(first, retains: false, ["addItems": [Request.item("news", 4990)]]))
        try shop.account.forceRenewal(inGroup: "requests")
        let ends = try [first, second].map { try shop.payload(of: $0).expiresDate?.date }
        #expect(ends == [Market.date("2025-02-01T00:00:00Z"), Market.date("2025-01-01T00:00:00Z")])
    }
}
