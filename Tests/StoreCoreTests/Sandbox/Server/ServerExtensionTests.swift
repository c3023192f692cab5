import Foundation
import StoreCore
import Testing

/// Renewal dates that a server extends.
@Suite struct ServerExtensionTests {
    private let market: Market
    private let view: ServerView
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { (market, view) = try Market.withView() }

    @discardableResult
    private func extend(_ original: String = "1", by days: Int = 10, reason: Int = 1, _ request: String = "request")
        throws -> ServerExtension
    { try view.extendRenewal(of: original, days: days, reason: reason, request: request) }

    private func extendAll(_ days: Int = 10, _ request: String = "all", in storefronts: [String] = []) throws {
        try view.extendRenewals(of: "gold.monthly", days: days, reason: 0, request: request, storefronts: storefronts)
    }

    private func end(of account: SandboxAccount) throws -> Date {
        try #require(account.subscription(inGroup: "metals")).expirationDate
    }

    @Test func `The running period ends later, and the next one begins at its end`() throws {
        try account.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        let answer = try extend()
        #expect(answer.originalTransactionIdentifier == "1" && answer.webOrderLineItemIdentifier == "2")
        #expect(answer.effectiveDate == Market.date("2025-03-11T00:00:00Z"))
        #expect(try end(of: account) == answer.effectiveDate)
        #expect(try view.transaction("2")?.payload.expiresDate == PayloadDate(answer.effectiveDate))
        #expect(try view.transaction("1")?.payload.expiresDate == PayloadDate(Market.date("2025-02-01T00:00:00Z")))
        #expect(try account.transactions.map(\.expirationDate).last == answer.effectiveDate)
        #expect(try market.at("2025-03-10T23:59:59Z").store.account.transactions.count == 2)
        #expect(try market.at("2025-03-11T00:00:00Z").store.account.transactions.count == 3)
        #expect(try end(of: account) == Market.date("2025-04-11T00:00:00Z"))
        #expect(try "\(account.totalCharged)" == "29.97")
    }

    @Test func `One that will not renew ends later too`() throws {
        try account.buy("gold.monthly")
        try account.setAutoRenew(false, inGroup: "metals")
        try extend(by: 90)
        #expect(market.at("2025-05-01T23:59:59Z").store.account.entitlements.count == 1)
        #expect(market.at("2025-05-02T00:00:00Z").store.account.entitlements.isEmpty)
    }

    @Test func `Members of the family have it as long`() throws {
        let bob = try store.addAccount("bob")
        try store.addFamily("smiths", organizer: account).add(bob)
        try account.buy("tv.monthly")
        let answer = try extend()
        #expect(bob.entitlements.map(\.expirationDate) == [answer.effectiveDate])
        #expect(try view.transaction("2")?.payload.expiresDate == PayloadDate(answer.effectiveDate))
        #expect(throws: ServerRefusal.familyShared("2")) { try extend("2") }
    }

    @Test func `Two extensions within 365 days are the most`() throws {
        try account.buy("gold.monthly")
        try extend()
        try extend(by: 1, reason: 3, "second")
        #expect(throws: ServerRefusal.extendedTooOften("1")) { try extend() }
        market.advance(to: "2025-12-31T23:59:59Z")
        #expect(throws: ServerRefusal.extendedTooOften("1")) { try extend() }
        market.advance(to: "2026-01-01T00:00:00Z")
        try extend()
    }

    @Test func `A period that is free under an offer is not extended, and counts as failed among all`() throws {
        let trial = SandboxProduct.Offer.freeTrial(.init(1, .week))
        let news = Market.subscription("news", level: 1, price: "1.99", .init(1, .month), offer: trial)
        let shop = try NotifiedShop([news])
        try shop.store.addAccount("other").buy("news")
        try shop.at("2025-01-10T00:00:00Z").account.buy("news")
        let free = ServerRefusal.free("3")
        #expect(throws: free) { try shop.view.extendRenewal(of: "3", days: 1, reason: 0, request: "one") }
        let told = try shop.told {
            try shop.view.extendRenewals(of: "news", days: 1, reason: 0, request: "all", storefronts: [])
        }
        #expect(told == ["RENEWAL_EXTENDED #2", "RENEWAL_EXTENSION FAILURE #3", "RENEWAL_EXTENSION SUMMARY"])
        let outcome = try #require(try shop.view.massExtension(of: "news", request: "all"))
        #expect(outcome.succeededCount == 1 && outcome.failedCount == 1)
        #expect(shop.market.metals?.expirationDate == Market.date("2025-01-17T00:00:00Z"))
    }

    @Test func `Days, reasons and requests have limits`() throws {
        try account.buy("gold.monthly")
        let head = try market.ledger.head
        for days in [0, -1, 91] {
            #expect(throws: ServerRefusal.invalidDays(days)) { try extend(by: days) }
            #expect(throws: ServerRefusal.invalidDays(days)) { try extendAll(days) }
        }
        for reason in [-1, 4] { #expect(throws: ServerRefusal.invalidReason(reason)) { try extend(reason: reason) } }
        for request in ["", String(repeating: "x", count: 129)] {
            #expect(throws: ServerRefusal.invalidRequestIdentifier(request)) { try extend("1", by: 1, request) }
            #expect(throws: ServerRefusal.invalidRequestIdentifier(request)) { try extendAll(1, request) }
        }
        #expect(try market.ledger.head == head)
    }

    @Test func `Only an active subscription is extended, under its first transaction`() throws {
        #expect(throws: ServerRefusal.unknownOriginalTransaction("1")) { try extend() }
        try account.buy("gold.monthly", "sword")
        #expect(throws: ServerRefusal.notSubscription("2")) { try extend("2") }
        try account.setBillingFails(true)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(throws: ServerRefusal.notActive("1")) { try extend() }
        try account.resolveBillingIssue(inGroup: "metals")
        #expect(throws: ServerRefusal.notOriginalTransaction("3")) { try extend("3") }
        try extend()
        try account.expireSubscription(inGroup: "metals")
        #expect(throws: ServerRefusal.notActive("1")) { try extend() }
    }

    // MARK: For all subscribers

    @Test func `All active subscribers of a product are extended, once for a request`() throws {
        let (bob, carl, dora) = try (store.addAccount("bob"), store.addAccount("carl"), store.addAccount("dora"))
        for account in [account, bob, dora] { try account.buy("gold.monthly") }
        try carl.buy("silver.monthly")
        try dora.expireSubscription(inGroup: "metals")
        for _ in 1...2 { try extend("1") }
        #expect(try view.massExtension(of: "gold.monthly", request: "all")?.isComplete == nil)
        try extendAll()
        let outcome = try #require(try view.massExtension(of: "gold.monthly", request: "all"))
        #expect(outcome.isComplete && outcome.completeDate == market.clock.now)
        #expect(outcome.succeededCount == 1 && outcome.failedCount == 1)
        #expect(try [account, bob, carl].map(end) == days("2025-02-21", "2025-02-11", "2025-02-01"))
        let head = try market.ledger.head
        try extendAll()
        #expect(try market.ledger.head == head)
        #expect(try view.massExtension(of: "silver.monthly", request: "all")?.isComplete == nil)
        #expect(try view.massExtension(of: "none", request: "all")?.isComplete == nil)
    }

    @Test func `Only those whose period was bought in one of the countries are extended`() throws {
        let bob = try store.addAccount("bob")
        try account.buy("gold.monthly")
        try store.setStorefront("DEU")
        try bob.buy("gold.monthly")
        try extendAll(in: ["DEU", "FRA"])
        #expect(try view.massExtension(of: "gold.monthly", request: "all")?.succeededCount == 1)
        #expect(try [account, bob].map(end) == days("2025-02-01", "2025-02-11"))
    }

    @Test(arguments: ["none", "sword"]) func `A product without subscriptions is refused`(product: String) {
        #expect(throws: ServerRefusal.unknownProduct(product)) {
            try view.extendRenewals(of: product, days: 1, reason: 0, request: "all", storefronts: [])
        }
    }
}
