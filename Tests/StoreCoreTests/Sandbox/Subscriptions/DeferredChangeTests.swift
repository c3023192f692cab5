import Foundation
import StoreCore
import Testing

/// A change to another product that begins at the renewal: what it is until then.
@Suite struct DeferredChangeTests {
    private static let trial: [SandboxProduct] = [
        Market.subscription("upper", level: 1, price: "9.99", .init(1, .month)),
        Market.subscription(
            "lower",
            level: 2,
            price: "4.99",
            .init(1, .month),
            offer: .payAsYouGo(price: "0.99", every: .init(1, .month), times: 2)
        ),
    ]

    @Test func `It is no period that was paid for, and not restored`() throws {
        let market = try Market()
        let phone = App(on: market.store)
        phone.buy("gold.monthly")
        phone.buy("silver.monthly")
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.store.account))
        tablet.restore()
        #expect(tablet.received == [.updated("gold.monthly", .restored)])
        market.advance(to: "2025-02-01T00:00:00Z")
        tablet.restore()
        let restored = tablet.received.filter { $0 != .updated("silver.monthly", .purchased) }.dropFirst()
        #expect(restored == [.updated("gold.monthly", .restored), .updated("silver.monthly", .restored)])
    }

    @Test func `It is in the app receipt only when it has begun`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false)
        app.buy("gold.monthly")
        app.buy("silver.monthly")
        func products() throws -> [String] {
            let receipt = try market.store.verify(appReceipt: try #require(market.store.appReceipt))
            return receipt.purchases.map(\.productIdentifier)
        }
        #expect(try products() == ["gold.monthly"])
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(try products().sorted() == ["gold.monthly", "silver.monthly"])
    }

    @Test func `Its receipt leads to the subscription that runs`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false)
        app.buy("gold.monthly")
        app.buy("silver.monthly")
        let change = try #require(app.recorder.transactions.last?.transactionReceipt)
        let verification = market.store.verify(receipt: change)
        #expect(verification.status == .valid)
        #expect(verification.fields["product_id"] == "silver.monthly")
        #expect(verification.latestFields["product_id"] == "gold.monthly")
    }

    @Test func `Who had no introductory offer in the group has it when the change begins`() throws {
        let market = try Market(Self.trial)
        let app = App(on: market.store)
        app.buy("upper")
        app.buy("lower")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(market.store.account.subscriptions.map(\.introductoryOffer) == [.payAsYouGo])
        #expect(try market.store.account.totalCharged == amount("10.98"))
        market.advance(to: "2025-04-01T00:00:00Z")
        #expect(market.store.account.subscriptions.map(\.introductoryOffer) == [nil])
        #expect(try market.store.account.totalCharged == amount("16.96"))
    }

    @Test func `Who has it by a change has it once`() throws {
        let market = try Market(Self.trial)
        let app = App(on: market.store)
        app.buy("upper")
        app.buy("lower")
        market.advance(to: "2025-02-01T00:00:00Z")
        app.buy("upper")
        app.buy("lower")
        market.advance(to: "2025-03-01T00:00:00Z")
        #expect(market.store.account.subscriptions.map(\.introductoryOffer) == [nil])
        #expect(try market.store.account.totalCharged == amount("25.96"))
    }
}
