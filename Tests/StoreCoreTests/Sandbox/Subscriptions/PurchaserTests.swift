import Foundation
import StoreCore
import Testing

/// Whom a subscription is for.
@Suite struct PurchaserTests {
    private func buy(_ product: String, for user: String?, _ app: App) {
        let payment = SKMutablePayment(productIdentifier: product)
        payment.applicationUsername = user
        app.queue.add(payment)
        app.queue.settle()
    }

    @Test func `B110: A renewal is for the user for whom the subscription was bought`() throws {
        let market = try Market()
        let app = App(on: market.store)
        buy("gold.monthly", for: "alice", app)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.recorder.transactions.map(\.payment.applicationUsername) == ["alice", "alice"])
        for (user, count) in [("bob", 0), ("alice", 2)] {
            let tablet = App(on: try market.store.addDevice(user, signedInTo: market.store.account))
            tablet.queue.restoreCompletedTransactions(withApplicationUsername: user)
            tablet.queue.settle()
            #expect(tablet.received.count == count)
        }
    }

    @Test func `A renewal is for the user of the last purchase in the group`() throws {
        let market = try Market()
        let app = App(on: market.store)
        buy("gold.monthly", for: "alice", app)
        buy("silver.monthly", for: "bob", app)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.recorder.transactions.last?.payment.applicationUsername == "bob")
        buy("gold.monthly", for: nil, app)
        market.advance(to: "2025-03-01T00:00:00Z")
        #expect(app.recorder.transactions.last?.payment.productIdentifier == "gold.monthly")
        #expect(app.recorder.transactions.last?.payment.applicationUsername == nil)
    }
}
