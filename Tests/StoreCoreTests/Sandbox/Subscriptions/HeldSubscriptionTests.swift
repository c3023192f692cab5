import Foundation
import StoreCore
import Testing

/// What a payment of Store Kit 1 comes to where the account is subscribed to the group already.
@Suite struct HeldSubscriptionTests {
    private let market: Market
    private let app: App

    init() throws { (market, app) = try Market.withApp() }

    /// A market whose products have a free week each.
    private static func market() throws -> Market {
        let trial = SandboxProduct.Offer.freeTrial(.init(1, .week))
        return try Market([
            Market.subscription("gold.monthly", level: 1, price: "9.99", .init(1, .month), offer: trial),
            Market.subscription("gold.other", level: 1, price: "8.99", .init(1, .month), offer: trial),
            Market.subscription("silver.monthly", level: 2, price: "4.99", .init(1, .month), offer: trial),
            Market.subscription("bronze.monthly", level: 3, price: "1.99", .init(1, .month)),
        ])
    }

    private func received(by app: App) -> [SKPaymentTransaction] {
        app.recorder.transactions.filter { $0.transactionState == .purchased }
    }

    // MARK: Introductory offers

    @Test(arguments: ["gold.monthly", "silver.monthly"])
    func `A1: An upgrade and a crossgrade cost their full price at once`(product: String) throws {
        let market = try Self.market()
        let app = App(on: market.store)
        app.buy(product == "gold.monthly" ? "bronze.monthly" : "gold.monthly")
        // Never had an offer, or is in the middle of one.
        app.buy(product == "gold.monthly" ? "gold.monthly" : "gold.other")
        #expect(market.metals?.introductoryOffer == nil)
        #expect(market.metals?.expirationDate == Market.date("2025-02-01T00:00:00Z"))
        #expect(try market.account.totalCharged == (product == "gold.monthly" ? amount("11.98") : amount("8.99")))
    }

    @Test func `A1: A downgrade costs its full price from the renewal on`() throws {
        let market = try Market([
            Market.subscription("upper", level: 1, price: "9.99", .init(1, .month)),
            Market.subscription("lower", level: 2, price: "4.99", .init(1, .month), offer: .freeTrial(.init(1, .week))),
        ])
        let app = App(on: market.store)
        app.buy("upper", "lower")
        let subscription = try #require(market.at("2025-02-01T00:00:00Z").metals)
        #expect(subscription.productIdentifier == "lower" && subscription.introductoryOffer == nil)
        #expect(try market.account.totalCharged == amount("14.98"))
    }

    @Test func `A1: Who lapsed and comes back has the offer, if the group's was never used`() throws {
        let market = try Self.market()
        let app = App(on: market.store, buying: "bronze.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2025-03-01T00:00:00Z")
        app.buy("gold.monthly")
        #expect(try market.metals?.introductoryOffer == .freeTrial && market.account.totalCharged == amount("1.99"))
    }

    // MARK: Changes that wait

    @Test(arguments: ["silver.monthly", "gold.yearly"])
    func `A2: A change that waits ends as purchased under the running transaction's identifier`(change: String) throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false, buying: "gold.monthly")
        let before = try market.store.purchases()
        app.buy(change)
        let (held, answer) = (received(by: app)[0], received(by: app)[1])
        #expect(answer.transactionIdentifier == held.transactionIdentifier)
        #expect(answer.payment.productIdentifier == change)
        #expect(try market.store.purchases() == before && market.metals?.renewsAs == change)
        #expect(try market.account.totalCharged == amount("9.99"))
        // It comes again until it is finished, and finishing it leaves the other one.
        app.queue.finishTransaction(answer)
        #expect(app.queue.transactions == [held])
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(received(by: app).count == 3 && received(by: app)[2].payment.productIdentifier == change)
        #expect(received(by: app)[2].transactionIdentifier != held.transactionIdentifier)
    }

    @Test func `A2: The answer to a change comes again at each launch until finished, also from a ledger`() throws {
        app.buy("gold.monthly")
        let held = try #require(received(by: app).first?.transactionIdentifier)
        app.queue.remove(app.recorder)
        let other = App(on: market.store, finishes: false)
        other.buy("silver.monthly")
        let again = try Market(on: "2025-01-02T00:00:00Z", ledger: market.ledger)
        let launch = App(on: again.store)
        #expect(received(by: launch).map(\.transactionIdentifier) == [held])
        #expect(received(by: launch).map(\.payment.productIdentifier) == ["silver.monthly"])
        #expect(again.store.account.subscription(inGroup: "metals")?.renewsAs == "silver.monthly")
        let later = App(on: again.store)
        #expect(received(by: later).isEmpty)
        // A restore brings what was bought, and nothing else.
        later.restore()
        #expect(later.received == [.updated("gold.monthly", .restored)])
    }

    @Test func `A2: An approval is the moment of a change; the answer names what runs then`() throws {
        let market = try Market()
        try market.account.setAsksToBuy(true)
        let app = App(on: market.store, finishes: false, buying: "gold.monthly")
        try market.store.decide(try #require(market.store.undecidedRequests.first).transaction, as: .approve)
        app.buy("silver.monthly")
        #expect(market.metals?.renewsAs == "gold.monthly")
        try market.store.decide(try #require(market.store.undecidedRequests.first).transaction, as: .approve)
        let purchased = received(by: app)
        #expect(purchased.map(\.payment.productIdentifier) == ["gold.monthly", "silver.monthly"])
        #expect(Set(purchased.map(\.transactionIdentifier)).count == 1)
        #expect(market.metals?.renewsAs == "silver.monthly")
        #expect(throws: SandboxError(.notSold("2"))) { try market.store.refund("2") }
    }

    @Test func `A2: Only the transaction that is held can be refunded`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false)
        app.buy("gold.monthly", "silver.monthly")
        let listed = try market.store.transactions
        #expect(listed.map(\.held) == [nil, listed[0].id])
        #expect(listed.map(\.chargedAmount) == [amount("9.99"), nil])
        #expect(throws: SandboxError(.notSold(listed[1].id))) { try market.store.refund(listed[1].id) }
        try market.store.refund(listed[0].id)
        #expect(try market.account.entitlements.isEmpty && market.account.totalRefunded == amount("9.99"))
    }

    @Test func `A2: A change in the store itself brings nothing to any device`() throws {
        app.buy("gold.monthly")
        let held = try #require(received(by: app).first?.transactionIdentifier)
        app.recorder.clear()
        #expect(try market.account.buy("silver.monthly") == held)
        app.queue.settle()
        #expect(app.recorder.callbacks.isEmpty)
        #expect(try market.store.transactions.count == 1 && market.metals?.renewsAs == "silver.monthly")
    }

    @Test func `A2: The transaction held is the running period's, not the first`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        let renewal = try #require(received(by: app).last?.transactionIdentifier)
        app.buy("silver.monthly")
        #expect(received(by: app).map(\.transactionIdentifier).last == renewal)
    }

    // MARK: Bought again

    @Test func `A3: A running subscription bought again is purchased under a number that no receipt has`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false, buying: "gold.monthly")
        let before = try market.store.purchases()
        app.buy("gold.monthly")
        let (held, answer) = (received(by: app)[0], received(by: app)[1])
        #expect(answer.transactionIdentifier != held.transactionIdentifier)
        #expect(try market.store.purchases() == before)
        // Its own receipt is that of the running period.
        let own = market.store.verify(receipt: try #require(answer.transactionReceipt)).fields
        #expect(own["transaction_id"] == held.transactionIdentifier)
        #expect(try market.account.totalCharged == amount("9.99"))
        app.queue.finishTransaction(held)
        app.queue.finishTransaction(answer)
        app.queue.settle()
        let other = App(on: try market.store.addDevice("tablet", signedInTo: market.account))
        other.restore()
        #expect(other.received == [.updated("gold.monthly", .restored)])
    }

    @Test func `A3, C16: With the quirk it fails, with an underlying error, and changes nothing`() throws {
        app.buy("gold.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        #expect(market.store.quirks.isEmpty)
        market.store.quirks = [.repeatedSubscriptionFails]
        app.buy("gold.monthly")
        let error = try #require(app.recorder.transactions.last?.error as? SKError)
        #expect(error.code == .unknown)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == "ASDServerErrorDomain" && underlying.code == 3532)
        #expect(StoreFailure(error).underlying?.code == 3532 && market.metals?.willRenew == false)
        // A change is none, and neither is a new beginning.
        app.buy("silver.monthly")
        #expect(market.metals?.renewsAs == "silver.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2025-03-01T00:00:00Z")
        app.buy("gold.monthly")
        #expect(try market.account.totalCharged == amount("19.98"))
    }

    @Test func `A failure's underlying error stays in journals, ledgers and on the wire; old ones have none`() throws {
        let failure = StoreFailure(
            domain: .storeKit,
            code: 0,
            reason: "ordered again",
            underlying: .init(domain: "ASDServerErrorDomain", code: 3532, reason: "already subscribed")
        )
        let decoded = try JSONDecoder().decode(StoreFailure.self, from: JSONEncoder().encode(failure))
        #expect(decoded == failure)
        #expect((decoded.underlying?.domain, decoded.underlying?.code) == ("ASDServerErrorDomain", 3532))
        let old = Data(#"{"domain":"storeKit","code":3,"reason":"no"}"#.utf8)
        #expect(try JSONDecoder().decode(StoreFailure.self, from: old) == .storeKit(.paymentInvalid, "no"))
    }

    @Test func `A4: A non-consumable bought again by Store Kit 1 is a transaction of its own at no charge`() throws {
        app.buy("full.game", "full.game")
        #expect(Set(received(by: app).map(\.transactionIdentifier)).count == 2)
        #expect(try market.store.transactions.map(\.held) == [nil, nil])
        #expect(try market.account.totalCharged == amount("4.99"))
    }
}
