import Foundation
import StoreCore
import Testing

/// A change to another product that begins at the renewal: what it is until then.
@Suite struct DeferredChangeTests {
    @Test func `It is no period that was paid for, and not restored`() throws {
        let market = try Market()
        let phone = App(on: market.store)
        phone.buy("gold.monthly", "silver.monthly")
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
        app.buy("gold.monthly", "silver.monthly")
        func products() throws -> [String] { try market.store.purchases().map(\.productIdentifier) }
        #expect(try products() == ["gold.monthly"])
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(try products().sorted() == ["gold.monthly", "silver.monthly"])
    }

    @Test func `A2: Its receipt is that of the transaction held`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false, buying: "gold.monthly", "silver.monthly")
        let change = try #require(app.recorder.transactions.last)
        let verification = market.store.verify(receipt: try #require(change.transactionReceipt))
        #expect(verification.status == .valid && verification.fields["product_id"] == "gold.monthly")
        #expect(verification.fields["transaction_id"] == change.transactionIdentifier)
        #expect(verification.latestFields["product_id"] == "gold.monthly")
    }
}
