import Foundation
import StoreCore
import Testing

/// Subscriptions that were bought without a request, and go on as ones of a generic product.
@Suite struct MigrationTests {
    private typealias Request = RequestShop

    private let shop: RequestShop
    /// The first transaction of a subscription that is migrated.
    private let gold: String

    init() throws {
        shop = try RequestShop()
        gold = try shop.account.buy("gold")
        try shop.perform(.migrate, of: gold, Request.migration)
    }

    private func groups() throws -> [Int] {
        try ["metals", "requests"].map { try shop.account.signedSubscriptions(inGroup: $0).count }
    }

    @Test func `A migrated subscription is reactivated before it renews`() throws {
        try shop.account.setAutoRenew(false, inGroup: "metals")
        #expect(try shop.buy(Request.reactivate(gold)) == gold)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        let last = try #require(try shop.account.signedTransactions.last).content
        #expect(last.productId == Request.subscription && last.originalTransactionId == gold)
        #expect(try shop.charges.map(\.description) == ["9.99", "9.99"])
    }

    @Test func `A migrated subscription is modified before it renews, and is in the generic product's group then`()
        throws
    {
        let news = Request.item("news", 4990)
        let second = try shop.buy(Request.modify(gold, retains: false, ["addItems": [news]]))
        #expect(try shop.payload(of: second).originalTransactionId == gold)
        #expect(try groups() == [0, 1])
    }

    @Test func `A migrated subscription that ended before it renewed begins again`() throws {
        try shop.account.expireSubscription(inGroup: "metals")
        let second = try shop.buy(Request.create(previous: gold))
        #expect(try shop.payload(of: second).originalTransactionId == gold)
        #expect(try groups() == [0, 1])
    }

    @Test func `The former product that is bought again before the renewal is the same subscription, without items`()
        throws
    {
        #expect(try shop.account.buy("gold") == gold)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        let last = try #require(try shop.account.signedTransactions.last).content
        #expect(last.productId == "gold" && last.originalTransactionId == gold && last.advancedCommerceInfo == nil)
        #expect(try groups() == [1, 0])
        let renewal = try #require(try shop.account.signedSubscriptions(inGroup: "metals").first).renewal.content
        #expect(renewal.autoRenewProductId == "gold" && renewal.advancedCommerceInfo == nil)
    }

    @Test func `A migrated subscription is in one group at a time`() throws {
        try shop.buy(Request.create())
        #expect(try groups() == [1, 1])
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try groups() == [0, 2])
    }
}
