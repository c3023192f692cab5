import Foundation
import StoreCore
import Testing

@Suite struct OfferTests {
    private static func market(_ offer: SandboxProduct.Offer = .freeTrial(.init(1, .week))) throws -> Market {
        try Market([
            Market.subscription("plus", level: 1, price: "4.99", .init(1, .month), offer: offer),
            Market.subscription("other", level: 1, price: "5.99", .init(1, .month), offer: offer),
            Market.subscription("lower", level: 2, price: "1.99", .init(1, .month)),
        ])
    }

    @Test func `A free trial costs nothing, and terms count from its end`() throws {
        let market = try Self.market()
        App(on: market.store).buy("plus")
        let trial = try #require(market.metals)
        #expect(trial.introductoryOffer == .freeTrial && trial.expirationDate == Market.date("2025-01-08T00:00:00Z"))
        #expect(try market.at("2025-01-07T00:00:00Z").account.totalCharged == 0)
        #expect(try market.at("2025-01-08T00:00:00Z").account.totalCharged == Decimal(string: "4.99"))
        let paid = try #require(market.metals)
        #expect(paid.introductoryOffer == nil && paid.expirationDate == Market.date("2025-02-08T00:00:00Z"))
    }

    @Test func `Pay as you go costs less for each of the first terms`() throws {
        let market = try Self.market(.payAsYouGo(price: "0.99", every: .init(1, .month), times: 3))
        App(on: market.store).buy("plus")
        #expect(try market.at("2025-01-01T00:00:00Z").account.totalCharged == Decimal(string: "0.99"))
        #expect(try market.at("2025-03-01T00:00:00Z").account.totalCharged == Decimal(string: "2.97"))
        #expect(market.account.subscriptions.map(\.introductoryOffer) == [.payAsYouGo])
        #expect(try market.at("2025-04-01T00:00:00Z").account.totalCharged == Decimal(string: "7.96"))
        #expect(market.account.subscriptions.map(\.introductoryOffer) == [nil])
    }

    @Test func `Pay up front costs one price for the whole time`() throws {
        let market = try Self.market(.payUpFront(price: "8.99", for: .init(3, .month)))
        App(on: market.store).buy("plus")
        #expect(try market.at("2025-03-31T00:00:00Z").account.totalCharged == Decimal(string: "8.99"))
        #expect(try market.at("2025-04-01T00:00:00Z").account.totalCharged == Decimal(string: "13.98"))
    }

    @Test func `B151: An account has one introductory offer in a group, whatever it leaves or changes to`() throws {
        let market = try Self.market()
        let app = App(on: market.store, buying: "plus", "other")
        #expect(try market.account.totalCharged == Decimal(string: "5.99"))
        try market.account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2026-01-01T00:00:00Z")
        app.buy("plus")
        #expect(try market.account.totalCharged == Decimal(string: "10.98"))
    }

    @Test func `B137: A product shows its introductory offer also to who has had it`() throws {
        let market = try Self.market()
        App(on: market.store).buy("plus")
        #expect(market.metals?.introductoryOffer == .freeTrial)
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: ["plus"], backend: market.store, delivery: .inline)
        request.delegate = delegate
        request.start()
        let product = try #require(delegate.responses.first?.products.first)
        #expect(product.introductoryPrice?.paymentMode == .freeTrial)
    }

    @Test func `A1: Who changes to a product with an offer pays its full price, whether or not they had one`() throws {
        let market = try Self.market()
        let app = App(on: market.store)
        app.buy("lower", "plus")
        #expect(market.account.subscriptions.map(\.introductoryOffer) == [nil])
        #expect(try market.account.totalCharged == Decimal(string: "6.98"))
    }

    @Test func `Another account has an introductory offer of its own`() throws {
        let market = try Self.market()
        App(on: market.store).buy("plus")
        let bob = try market.store.addAccount("bob")
        App(on: try market.store.addDevice("bob's", signedInTo: bob)).buy("plus")
        #expect(bob.subscription(inGroup: "metals")?.introductoryOffer == .freeTrial)
    }

    @Test func `The receipt of a term tells how it was paid for`() throws {
        let market = try Self.market()
        let app = App(on: market.store, finishes: false, buying: "plus")
        market.advance(to: "2025-01-08T00:00:00Z")
        let terms = try app.recorder.transactions.filter { $0.transactionState == .purchased }
            .map { market.store.verify(receipt: try #require($0.transactionReceipt)).fields["is_trial_period"] }
        #expect(terms == ["true", "false"])
    }
}
