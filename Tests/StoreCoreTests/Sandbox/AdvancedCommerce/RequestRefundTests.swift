import Foundation
import StoreCore
import Testing

/// Refunds of items, and what servers change about items that are refunded.
@Suite struct RequestRefundTests {
    private typealias Request = RequestShop

    private let shop: RequestShop
    /// The first transaction of a subscription with two items.
    private let first: String

    init() throws {
        shop = try RequestShop()
        first = try shop.buy(Request.create(Request.item("sports", 40_000), Request.item("news", 11_000)))
    }

    private func refunds(_ transaction: String) throws -> [Int64?] {
        try shop.info(of: transaction).items.map { $0.refunds?.reduce(0) { $0 + $1.refundAmount } }
    }

    // MARK: Amounts

    @Test func `An item is refunded what was paid for it`() throws {
        // Half of January.
        shop.market.clock.advance(by: 15.5 * 86_400)
        let second = try shop.buy(Request.modify(first, ["addItems": [Request.item("films", 4990)]]))
        try shop.perform(.requestRefund, of: second, Request.refund("sports", "films"))
        #expect(try shop.account.totalRefunded == amount("2.495"))
        #expect(try refunds(second) == [0, nil, 2495])
        try shop.perform(.requestRefund, of: first, Request.refund("sports"))
        #expect(try shop.account.totalRefunded == amount("42.495"))
        #expect(try shop.fault(of: .requestRefund, first, Request.refund("sports")) == 4_030_021)
    }

    @Test func `A refund of the whole rest of a period is what was paid for each item`() throws {
        shop.market.clock.advance(by: 15.5 * 86_400)
        let second = try shop.buy(Request.modify(first, ["addItems": [Request.item("films", 4990)]]))
        try shop.store.refund(second)
        #expect(try refunds(second) == [0, 0, 2495])
    }

    @Test func `Nothing is refunded of a period that cost nothing`() throws {
        let small = Request.change("sports", to: Request.item("some.sports", 20_000), "IMMEDIATELY", "DOWNGRADE")
        let second = try shop.buy(Request.modify(first, ["changeItems": [small]]))
        #expect(try shop.fault(of: .requestRefund, second, Request.refund("some.sports")) == 4_030_024)
        #expect(try shop.account.totalRefunded == 0)
    }

    @Test func `Nothing is refunded of a renewal that was not paid for, where a quirk begins its period`() throws {
        shop.store.quirks = [.renewsInBillingRetry]
        try shop.account.setBillingFails(true)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        let unpaid = try #require(try shop.account.transactions.last)
        #expect(unpaid.id != first && unpaid.chargedAmount == 0)
        #expect(try shop.fault(of: .requestRefund, unpaid.id, Request.refund("sports")) == 4_030_024)
        #expect(try shop.account.totalRefunded == 0)
    }

    @Test func `The period of a migrated subscription is refunded what it cost`() throws {
        let gold = try shop.account.buy("gold")
        try shop.account.buy("gold.yearly")
        try shop.perform(.migrate, of: gold, Request.migration)
        let renewal = try #require(try shop.account.signedSubscriptions(inGroup: "metals").first).renewal.content
        #expect(renewal.renewalPrice == 99_990 && renewal.advancedCommerceInfo?.period == "P1Y")
        #expect(try shop.info(of: gold).items.map(\.price) == [9990] && shop.info(of: gold).period == "P1M")
        try shop.perform(.requestRefund, of: gold, Request.refund("gold.sku"))
        #expect(try shop.account.totalRefunded == amount("9.99"))
    }

    // MARK: Other changes

    @Test func `A refunded item stays refunded under another SKU`() throws {
        try shop.perform(.changePrice, of: first, ["currency": "USD", "items": [["SKU": "news", "price": 12_000]]])
        try shop.perform(.requestRefund, of: first, Request.refund("news", revoke: true))
        let item = ["currentSKU": "news", "SKU": "good.news", "effective": "IMMEDIATELY"]
        try shop.perform(.changeMetadata, of: first, ["items": [item]])
        let items = try shop.info(of: first).items
        #expect(items.map(\.SKU) == ["sports", "good.news"] && items[1].revocationDate != nil)
        #expect(try refunds(first) == [nil, 11_000])
        #expect(try shop.fault(of: .requestRefund, first, Request.refund("good.news")) == 4_030_021)
        #expect(try shop.renewalInfo.items.map { $0.priceIncreaseInfo?.price } == [nil, 12_000])
    }

    @Test func `Prices that change one after the other are all announced until the renewal`() throws {
        func change(_ sku: String, _ price: Int) throws -> [Int64?] {
            try shop.perform(.changePrice, of: first, ["currency": "USD", "items": [["SKU": sku, "price": price]]])
            return try shop.renewalInfo.items.map { $0.priceIncreaseInfo?.price }
        }
        #expect(try change("sports", 50_000) == [50_000, nil])
        #expect(try change("news", 12_000) == [50_000, 12_000])
        // Less than was announced, but more than now.
        #expect(try change("sports", 45_000) == [45_000, 12_000])
        #expect(try change("sports", 40_000) == [nil, 12_000])
    }

    @Test func `A refund that is reversed is one of no item any more`() throws {
        try shop.perform(.requestRefund, of: first, Request.refund("news"))
        try shop.perform(.requestRefund, of: first, Request.refund("sports", revoke: true))
        try shop.store.refund(first)
        try shop.store.reverseRefund(of: first)
        let items = try shop.info(of: first).items
        #expect(items.allSatisfy { $0.refunds == nil && $0.revocationDate == nil })
        #expect(try shop.account.totalRefunded == 0)
        try shop.perform(.requestRefund, of: first, Request.refund("news"))
        #expect(try shop.account.totalRefunded == 11)
    }

    // MARK: Revocation

    @Test func `A subscription is revoked although an item of it was, or was refunded`() throws {
        try shop.perform(.requestRefund, of: first, Request.refund("news", revoke: true))
        try shop.perform(.requestRefund, of: first, Request.refund("sports"))
        try shop.perform(.revoke, of: first, Request.revocation)
        #expect(shop.account.subscription(inGroup: "requests")?.endReason == .revoked)
        #expect(try shop.account.totalRefunded == 51 && refunds(first) == [40_000, 11_000])
    }

    @Test func `A subscription is revoked in a free period`() throws {
        let films = Request.item("films", 9990, offer: Request.offer(0, "P1W", 1))
        let free = try shop.buy(Request.create(films))
        try shop.perform(.revoke, of: free, Request.revocation)
        #expect(shop.account.subscriptions.map(\.endReason) == [nil, .revoked])
        #expect(try shop.payload(of: free).revocationType == .fullRefund && shop.account.totalRefunded == 0)
    }

    @Test func `A subscription that is revoked in billing retry ends once`() throws {
        let view = ServerView(shop.store)
        try view.beginNotifications()
        try shop.account.setBillingFails(true)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        let last = try view.notifications(after: nil, limit: .max).last?.position
        try shop.perform(.revoke, of: first, Request.revocation)
        #expect(shop.account.subscription(inGroup: "requests")?.endReason == .revoked)
        let told = try view.notifications(after: last, limit: .max).map(\.words)
        #expect(told == ["REFUND #1", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED #1"])
    }

    @Test func `A change of texts is told in the history`() throws {
        let texts = ["displayName": "New Pass", "effective": "NEXT_BILL_CYCLE"]
        try shop.perform(.changeMetadata, of: first, ["descriptors": texts])
        let entry = try #require(try shop.store.timeline.entries.last)
        #expect(entry.what == "has other texts or SKUs, or will have")
    }
}
