import Foundation
import StoreCore
import Testing

/// Purchases of generic products by signed requests of the Advanced Commerce API.
@Suite struct RequestedPurchaseTests {
    private typealias Request = RequestShop

    private let shop: RequestShop

    init() throws { shop = try RequestShop() }

    // MARK: One-time charges

    @Test func `A one-time charge costs what its request says, and the transaction describes the item`() throws {
        let request = Request.charge()
        let number = try shop.buy(request)
        #expect(try shop.charges == [amount("4.99")])
        let payload = try shop.payload(of: number)
        #expect(payload.price == 4990 && payload.productId == Request.charge && payload.type == .consumable)
        let info = try shop.info(of: number)
        let reference = (request["requestInfo"] as? [String: String])?["requestReferenceId"]
        #expect(info.requestReferenceId == reference && info.taxCode == "C003-00-2")
        #expect(info.descriptors == nil && info.period == nil)
        #expect(info.taxExclusivePrice == 4990 && info.estimatedTax == 0 && info.taxRate == "0")
        let item = try #require(info.items.first)
        #expect(info.items.count == 1 && item.SKU == "book" && item.price == 4990)
        #expect(item.displayName == "The book" && item.description == "All of book")
        #expect(item.offer == nil && item.refunds == nil && item.revocationDate == nil)
    }

    @Test func `The transaction of another product has no information about Advanced Commerce`() throws {
        try shop.buy(Request.charge())
        #expect(try shop.payload(of: shop.account.buy("coins")).advancedCommerceInfo == nil)
    }

    @Test func `The request names the app's user`() throws {
        var request = Request.charge()
        let (reference, token) = (UUID().uuidString, UUID())
        request["requestInfo"] = ["requestReferenceId": reference, "appAccountToken": token.uuidString]
        #expect(try shop.payload(of: shop.buy(request)).appAccountToken == token.uuidString.lowercased())
    }

    @Test func `A refund of the whole transaction is one of each item`() throws {
        let number = try shop.buy(Request.charge())
        try shop.store.refund(number)
        let item = try #require(try shop.info(of: number).items.first)
        let refund = try #require(item.refunds?.first)
        #expect(refund.refundAmount == 4990 && refund.refundType == "FULL" && refund.refundReason == "OTHER")
        #expect(item.revocationDate == refund.refundDate)
    }

    // MARK: Subscriptions

    @Test func `A subscription has the period and the prices of its request, in all renewals`() throws {
        let items = [Request.item("sports", 40_000), Request.item("cartoons", 11_000)]
        let first = try shop.buy(Request.create(items[0], items[1], period: "P1Y"))
        #expect(try shop.payload(of: first).expiresDate?.date == Market.date("2026-01-01T00:00:00Z"))
        let info = try shop.info(of: first)
        #expect(info.period == "P1Y" && info.descriptors?.displayName == "Streaming Pass")
        let renewal = try shop.renewal
        #expect(renewal.renewalPrice == 51_000 && renewal.autoRenewProductId == Request.subscription)
        #expect(try shop.renewalInfo.items.map(\.SKU) == ["sports", "cartoons"])
        shop.market.advance(to: "2026-01-02T00:00:00Z")
        #expect(try shop.charges == [51, 51])
        let second = try #require(try shop.account.transactions.last?.id)
        #expect(try shop.info(of: second).items.map(\.price) == [40_000, 11_000])
        #expect(try shop.payload(of: second).originalTransactionId == first)
    }

    @Test func `An item's offer applies to as many periods as it says`() throws {
        let cartoons = Request.item("cartoons", 11_000, offer: Request.offer(2990, "P1M", 2))
        let first = try shop.buy(Request.create(Request.item("sports", 40_000), cartoons))
        #expect(try shop.info(of: first).items.map(\.offer?.price) == [nil, 2990])
        #expect(try shop.renewal.renewalPrice == 42_990)
        shop.market.advance(to: "2025-04-15T00:00:00Z")
        #expect(try shop.charges == [42.99, 42.99, 51, 51].map { amount("\($0)") })
        #expect(try shop.renewalInfo.items.map(\.offer) == [nil, nil])
    }

    @Test func `A free offer lasts for its own period, and the subscription's follows`() throws {
        try shop.buy(Request.create(Request.item("sports", 9990, offer: Request.offer(0, "P1W", 1))))
        #expect(try shop.charges == [0] && shop.account.transactions.last?.expirationDate == days("2025-01-08").first)
        shop.market.advance(to: "2025-01-09T00:00:00Z")
        #expect(try shop.charges == [0, amount("9.99")])
        #expect(try shop.account.transactions.last?.expirationDate == days("2025-02-08").first)
    }

    @Test func `An account has several subscriptions of one generic product`() throws {
        let numbers = try ["anne", "bob"].map { try shop.buy(Request.create(Request.item($0, 1990))) }
        #expect(try shop.subscriptions.map(\.transaction.content.transactionId) == numbers)
        #expect(try shop.subscriptions.allSatisfy { $0.state == .subscribed })
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.subscriptions.map(\.renewal.content.originalTransactionId) == numbers)
        #expect(try shop.charges.count == 4)
    }

    @Test func `Of several subscriptions, those that run are within reach`() throws {
        try shop.buy(Request.create(Request.item("anne", 1990)))
        let newest = try shop.buy(Request.create(Request.item("bob", 2990)))
        #expect(shop.account.subscription(inGroup: "requests")?.originalTransaction == newest)
        try shop.account.expireSubscription(inGroup: "requests")
        try shop.account.setBillingFails(true)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        try shop.buy(Request.create(Request.item("carl", 3990)))
        try shop.account.setBillingFails(false)
        try shop.account.resolveBillingIssue(inGroup: "requests")
        #expect(try shop.subscriptions.map(\.state) == [.subscribed, .expired, .subscribed])
        try shop.account.expireSubscription(inGroup: "requests")
        try shop.account.setAutoRenew(false, inGroup: "requests")
        #expect(try shop.subscriptions.map(\.renewal.content.autoRenewStatus) == [.off, .off, .off])
        #expect(try shop.subscriptions.map(\.state) == [.subscribed, .expired, .expired])
    }

    @Test func `A grace period is that of the request's period`() throws {
        try shop.store.setGrantsGracePeriod(true)
        try shop.account.setBillingFails(true)
        try shop.buy(Request.create(period: "P1W"))
        shop.market.advance(to: "2025-01-09T00:00:00Z")
        #expect(shop.account.subscription(inGroup: "requests")?.gracePeriodExpirationDate == days("2025-01-14").first)
    }

    @Test func `A user that a server has set stays that of later periods`() throws {
        let (old, new) = (UUID(), UUID())
        let first = try shop.buy(Request.informed(Request.create(), ["appAccountToken": old.uuidString]))
        try ServerView(shop.store).setAppAccountToken(new, ofOriginal: first)
        let news = Request.item("news", 990)
        let second = try shop.buy(Request.modify(first, retains: false, ["addItems": [news]]))
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        let third = try #require(try shop.account.transactions.last?.id)
        #expect(
            try [first, second, third].map { try shop.payload(of: $0).appAccountToken }
                == Array(repeating: new.uuidString.lowercased(), count: 3)
        )
        #expect(try shop.renewal.appAccountToken == new.uuidString.lowercased())
    }

    @Test func `A request that names a transaction of an ended subscription continues it`() throws {
        let first = try shop.buy(Request.create())
        try shop.account.expireSubscription(inGroup: "requests")
        let second = try shop.buy(Request.create(previous: first))
        #expect(try shop.payload(of: second).originalTransactionId == first)
        #expect(try shop.subscriptions.count == 1 && shop.subscriptions.first?.state == .subscribed)
    }

    @Test func `A store opened again on its ledger knows what its subscriptions contain`() throws {
        let ledger = MemoryLedger()
        var request = Request.create(Request.item("sports", 9990, offer: Request.offer(990, "P1M", 2)))
        do { try RequestShop(ledger: ledger).buy(request) }
        let shop = try RequestShop(ledger: ledger, on: "2025-01-15T00:00:00Z")
        #expect(try shop.renewal.renewalPrice == 990 && shop.renewalInfo.items.first?.offer?.periodCount == 2)
        request["items"] = [Request.item("other", 990)]
        #expect(shop.fault(of: request) == 4_000_097)
    }
}
