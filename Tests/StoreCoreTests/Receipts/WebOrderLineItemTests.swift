import Foundation
import StoreCore
import Testing

/// The number of a subscription's period, which receipts and JWS have in common.
@Suite struct WebOrderLineItemTests {
    private let market: Market
    private let app: App
    private var store: SandboxStore { market.store }

    init() throws {
        market = try Market()
        app = App(on: market.store, finishes: false)
    }

    /// The line items in the app receipt, by transaction.
    private func listed() throws -> [String: String?] {
        let receipt = try store.verify(appReceipt: try #require(store.appReceipt))
        let items = receipt.purchases.map { ($0.transactionIdentifier, $0.subscription?.webOrderLineItemIdentifier) }
        return Dictionary(uniqueKeysWithValues: items)
    }

    private func expectSameInJWS(_ items: [String: String?]) throws {
        for (transaction, item) in items {
            #expect(try store.signedTransaction(transaction).payload.webOrderLineItemId == item, "\(transaction)")
        }
    }

    @Test func `A period has the number of the transaction that began it, in app receipts and in JWS`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        // Again in February, which is paid for: nothing is sold.
        app.buy("gold.monthly")
        let items = try listed()
        #expect(items == ["1": "1", "2": "2"])
        try expectSameInJWS(items)
    }

    @Test func `A transaction receipt has the same number, a restored one's that of its original`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        app.buy("gold.monthly")
        // A change that begins with the renewal belongs to the running period.
        app.buy("silver.monthly")
        app.queue.transactions.forEach(app.queue.finishTransaction)
        app.restore()
        var items: [String: String] = [:]
        for transaction in app.recorder.transactions {
            guard let identifier = transaction.transactionIdentifier, let receipt = transaction.transactionReceipt
            else { continue }
            items[identifier] = store.verify(receipt: receipt).fields["web_order_line_item_id"]
        }
        #expect(items == ["5": "1", "6": "2"])
        try expectSameInJWS(items)
    }

    @Test func `What an app hears of a subscription has its period's number, and so has the newest period`() throws {
        app.buy("gold.monthly")
        let first = try #require(app.recorder.transactions.last?.transactionReceipt)
        market.advance(to: "2025-02-10T00:00:00Z")
        app.buy("gold.monthly")
        app.buy("silver.monthly")
        let receipts = app.queue.transactions.compactMap(\.transactionReceipt)
        let fields = receipts.map { store.verify(receipt: $0).fields }
        // The repetition and the change are answered by the running period's transaction.
        #expect(fields.map { $0["transaction_id"] } == ["1", "2", "2", "2"])
        #expect(fields.map { $0["web_order_line_item_id"] } == ["1", "2", "2", "2"])
        let newest = store.verify(receipt: first).latestFields
        #expect(newest["transaction_id"] == "2" && newest["web_order_line_item_id"] == "2")
    }

    @Test func `Periods that were cut short at one moment have a number each`() throws {
        for _ in 0..<2 {
            app.buy("gold.monthly")
            try store.account.expireSubscription(inGroup: "metals")
        }
        let items = try listed()
        #expect(items == ["1": "1", "2": "2"])
        try expectSameInJWS(items)
    }

    @Test func `What the family shares has a number of its own`() throws {
        let store = try SandboxStore(products: [
            .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals", isFamilyShareable: true)
        ])
        let bob = try store.addAccount("bob")
        let tablet = try store.addDevice("tablet", signedInTo: bob)
        try store.addFamily("home", organizer: store.account).add(bob)
        try store.account.buy("gold")
        let receipt = try store.verify(appReceipt: try #require(tablet.appReceipt))
        let shared = try #require(receipt.purchases.first)
        #expect(shared.subscription?.webOrderLineItemIdentifier == shared.transactionIdentifier)
        let payload = try store.signedTransaction(shared.transactionIdentifier).payload
        #expect(payload.webOrderLineItemId == shared.transactionIdentifier)
        #expect(payload.inAppOwnershipType == .familyShared)
    }

    @Test(arguments: ["sword", "full.game", "lessons"]) func `What does not renew has none`(product: String) throws {
        app.buy(product)
        #expect(try listed() == ["1": nil])
        #expect(try store.signedTransaction("1").payload.webOrderLineItemId == nil)
        let receipt = try #require(app.queue.transactions.first?.transactionReceipt)
        #expect(store.verify(receipt: receipt).fields["web_order_line_item_id"] == nil)
    }

    @Test func `A store opened on the ledger has the same numbers`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        let items = try listed()
        #expect(items == ["1": "1", "2": "2"])
        let other = try SandboxStore(clock: market.clock, ledger: market.ledger, signer: store.signer)
        #expect(
            try other.verify(appReceipt: #require(other.appReceipt))
                == store.verify(appReceipt: #require(store.appReceipt))
        )
    }
}
