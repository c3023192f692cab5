import Foundation
import StoreCore
import Testing

@Suite struct GroupTests {
    private let market: Market
    private let app: App

    init() throws { (market, app) = try Market.withApp() }

    /// Buys one product, and another one later.
    private func buy(_ first: String, then second: String, at moment: String) {
        app.buy(first)
        market.advance(to: moment)
        app.buy(second)
    }

    @Test func `B106: Buying a running subscription again is an ordinary purchase that costs nothing`() throws {
        buy("gold.monthly", then: "gold.monthly", at: "2025-01-10T00:00:00Z")
        #expect(app.received == Array(repeating: .updated("gold.monthly", .purchased), count: 2))
        #expect(try market.account.totalCharged == Decimal(string: "9.99"))
        #expect(market.account.subscriptions.map(\.expirationDate) == days("2025-02-01"))
    }

    @Test func `Buying a running subscription again has it renew`() throws {
        app.buy("gold.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        app.buy("gold.monthly")
        #expect(market.account.subscriptions.map(\.willRenew) == [true])
    }

    @Test func `A higher level takes the lower one's place at once, with a term of its own`() throws {
        buy("silver.monthly", then: "gold.monthly", at: "2025-01-20T12:00:00Z")
        #expect(market.metals?.productIdentifier == "gold.monthly")
        #expect(market.metals?.periodStart == Market.date("2025-01-20T12:00:00Z"))
        #expect(market.metals?.expirationDate == Market.date("2025-02-20T12:00:00Z"))
        market.advance(to: "2025-02-19T00:00:00Z")
        #expect(app.received == [.updated("silver.monthly", .purchased), .updated("gold.monthly", .purchased)])
        #expect(try market.account.totalCharged == Decimal(string: "14.98"))
    }

    @Test func `A lower level begins at the renewal, and costs nothing before`() throws {
        buy("gold.monthly", then: "silver.monthly", at: "2025-01-20T00:00:00Z")
        #expect(app.received.last == .updated("silver.monthly", .purchased))
        #expect(market.metals?.productIdentifier == "gold.monthly" && market.metals?.renewsAs == "silver.monthly")
        #expect(try market.account.totalCharged == Decimal(string: "9.99"))
        #expect(market.at("2025-02-01T00:00:00Z").metals?.productIdentifier == "silver.monthly")
        #expect(try market.account.totalCharged == Decimal(string: "14.98"))
        #expect(market.account.entitlements.map(\.productIdentifier) == ["silver.monthly"])
    }

    @Test func `A change to a lower level is called off by buying what runs`() throws {
        app.buy("gold.monthly", "silver.monthly", "gold.monthly")
        #expect(market.at("2025-02-01T00:00:00Z").account.subscriptions.map(\.productIdentifier) == ["gold.monthly"])
    }

    @Test func `Within a level a product of the same length begins at once`() throws {
        buy("silver.monthly", then: "silver.other", at: "2025-01-20T00:00:00Z")
        #expect(market.account.subscriptions.map(\.productIdentifier) == ["silver.other"])
        #expect(market.account.subscriptions.map(\.expirationDate) == days("2025-02-20"))
    }

    @Test func `Within a level a product of another length begins at the renewal`() throws {
        buy("gold.monthly", then: "gold.yearly", at: "2025-01-20T00:00:00Z")
        #expect(market.account.subscriptions.map(\.productIdentifier) == ["gold.monthly"])
        #expect(market.at("2025-02-01T00:00:00Z").account.subscriptions.map(\.productIdentifier) == ["gold.yearly"])
        #expect(market.account.subscriptions.map(\.expirationDate) == days("2026-02-01"))
    }

    @Test func `After a lapse it is the same subscription, with terms from the new day`() throws {
        app.buy("gold.monthly")
        let first = try #require(market.metals)
        try market.account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2025-03-15T00:00:00Z")
        app.buy("silver.monthly")
        let again = try #require(market.metals)
        #expect(
            again.originalTransaction == first.originalTransaction
                && again.recentSubscriptionStartDate == first.recentSubscriptionStartDate
        )
        #expect(again.expirationDate == Market.date("2025-04-15T00:00:00Z"))
        #expect(try market.account.totalCharged == Decimal(string: "14.98"))
    }

    @Test func `A subscriber of whom nothing was heard for more than 60 days is a new one`() throws {
        for (day, since) in [("2025-04-02T00:00:00Z", "2025-01-01T00:00:00Z"), ("2025-04-02T00:00:01Z", nil)] {
            let (market, app) = try Market.withApp()
            app.buy("gold.monthly")
            try market.account.setAutoRenew(false, inGroup: "metals")
            market.advance(to: day)
            app.buy("gold.monthly")
            #expect(market.account.subscriptions.map(\.recentSubscriptionStartDate) == [Market.date(since ?? day)])
        }
    }

    @Test func `Groups do not know of each other`() throws {
        app.buy("gold.monthly", "pro.monthly")
        #expect(market.account.subscriptions.map(\.groupIdentifier) == ["metals", "pro"])
        #expect(market.account.entitlements.count == 2)
    }

    @Test func `A purchase that waited counts from its approval`() throws {
        let market = try Market(authorizer: .always(.askToBuy))
        let app = App(on: market.store)
        app.buy("gold.monthly")
        let question = try #require(market.at("2025-01-05T00:00:00Z").store.undecidedRequests.first)
        #expect(question.account == "account" && question.device == "device")
        #expect(question.total == Decimal(string: "9.99"))
        try market.store.decide(question.transaction, as: .approve)
        #expect(market.account.subscriptions.map(\.expirationDate) == days("2025-02-05"))
    }

    @Test func `Seven days are as long as a week, and twelve months as a year`() throws {
        let lengths: [(StoreProduct.Period, StoreProduct.Period)] = [
            (.init(1, .week), .init(7, .day)), (.init(14, .day), .init(2, .week)), (.init(12, .month), .init(1, .year)),
        ]
        for (one, other) in lengths {
            let market = try Market([
                Market.subscription("one", level: 1, price: "1.99", one),
                Market.subscription("other", level: 1, price: "2.99", other),
            ])
            let app = App(on: market.store)
            app.buy("one", "other")
            #expect(market.account.subscriptions.map(\.productIdentifier) == ["other"])
        }
    }
}

/// Whom a subscription is for.
@Suite struct PurchaserTests {
    private let market: Market
    private let app: App

    init() throws { (market, app) = try Market.withApp() }

    private func buy(_ product: String, for user: String?) { app.order(product) { $0.applicationUsername = user } }

    @Test func `B110: A renewal is for the user for whom the subscription was bought`() throws {
        buy("gold.monthly", for: "alice")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.recorder.transactions.map(\.payment.applicationUsername) == ["alice", "alice"])
        for (user, count) in [("bob", 0), ("alice", 2)] {
            let tablet = App(on: try market.store.addDevice(user, signedInTo: market.account))
            tablet.queue.restoreCompletedTransactions(withApplicationUsername: user)
            tablet.queue.settle()
            #expect(tablet.received.count == count)
        }
    }

    @Test func `A renewal is for the user of the last purchase in the group`() throws {
        buy("gold.monthly", for: "alice")
        buy("silver.monthly", for: "bob")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.recorder.transactions.last?.payment.applicationUsername == "bob")
        buy("gold.monthly", for: nil)
        market.advance(to: "2025-03-01T00:00:00Z")
        #expect(app.recorder.transactions.last?.payment.productIdentifier == "gold.monthly")
        #expect(app.recorder.transactions.last?.payment.applicationUsername == nil)
    }
}
