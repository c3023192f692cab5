import Foundation
import StoreCore
import Testing

/// The receipts of transactions as an app finds them.
@Suite struct CompletedTransactionReceiptTests {
    private static let products = ["sword", "full.game", "gold.monthly", "lessons"]

    @Test(arguments: products)
    func `B65: A transaction's receipt is signed, and the store verifies it`(product: String) throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false)
        let payment = SKMutablePayment(productIdentifier: product)
        payment.quantity = product == "sword" ? 3 : 1
        payment.applicationUsername = "9f86d081"
        app.queue.add(payment)
        app.queue.settle()
        let transaction = try #require(app.recorder.transactions.last)
        let receipt = try #require(transaction.transactionReceipt)

        let answer = market.store.verify(receipt: receipt)
        #expect(answer.status == .valid)
        #expect(answer.fields["product_id"] == product)
        #expect(answer.fields["quantity"] == (product == "sword" ? "3" : "1"))
        #expect(answer.fields["transaction_id"] == transaction.transactionIdentifier)
        #expect(answer.fields["purchase_date_ms"] == "1735689600000")
        #expect(answer.fields["bid"] == "com.example.app")
        #expect(answer.fields["bvrs"] == "1.0")
        #expect(answer.fields["application_username"] == "9f86d081")
        #expect((answer.fields["expires_date"] != nil) == (product == "gold.monthly"))

        let stranger = try SandboxStore()
        #expect(stranger.verify(receipt: receipt).status == .notAuthentic)
    }

    @Test func `B66: Every purchased and restored transaction has a receipt and an identifier`() throws {
        let market = try Market()
        let receipts = Locked<[String: String]>([:])
        let reader = Recorder(onUpdate: { queue, transactions in
            for transaction in transactions where transaction.isDecided {
                let fields = transaction.transactionReceipt.map { market.store.verify(receipt: $0).fields } ?? [:]
                #expect(fields["transaction_id"] == transaction.transactionIdentifier)
                receipts.withLock { $0[fields["transaction_id"] ?? ""] = fields["product_id"] }
                queue.finishTransaction(transaction)
            }
        })
        let phone = SKPaymentQueue.observed(by: reader, on: market.store)
        for product in Self.products { phone.add(SKPayment(productIdentifier: product)) }
        phone.settle()
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(receipts.withLock { $0.values.sorted() } == (Self.products + ["gold.monthly"]).sorted())

        let device = try market.store.addDevice("tablet", signedInTo: market.store.account)
        let tablet = SKPaymentQueue.observed(by: reader, on: device)
        tablet.restoreCompletedTransactions()
        tablet.settle()
        #expect(receipts.withLock { $0.keys.sorted() } == (1...8).map { "\($0)" })
    }

    @Test func `B59, B66: A restored one's receipt has its own identifier and date beside the original's`() throws {
        let market = try Market()
        let phone = App(on: market.store)
        phone.buy("full.game")
        phone.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        let device = try market.store.addDevice("tablet", signedInTo: market.store.account)
        let tablet = App(on: device, finishes: false)
        tablet.restore()
        let fields = tablet.recorder.transactions.compactMap(\.transactionReceipt)
            .map { market.store.verify(receipt: $0).fields }
        try #require(fields.count == 3)
        #expect(Set(fields.compactMap { $0["transaction_id"] }) == ["4", "5", "6"])
        #expect(Set(fields.compactMap { $0["purchase_date"] }) == ["2025-02-10 00:00:00 Etc/GMT"])
        #expect(fields.map { $0["original_transaction_id"] } == ["1", "2", "2"])
        #expect(Set(fields.compactMap { $0["original_purchase_date"] }) == ["2025-01-01 00:00:00 Etc/GMT"])
        #expect(
            fields.map { $0["expires_date_formatted"] }
                == [nil, "2025-02-01 00:00:00 Etc/GMT", "2025-03-01 00:00:00 Etc/GMT"]
        )
    }

    @Test(arguments: Conformer.allCases)
    func `B64: A transaction that is not completed has no receipt`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.cancel))
        let recorder = Recorder()
        let queue = SKPaymentQueue.observed(by: recorder, on: world.backend)
        await queue.buy("sword")
        #expect(recorder.history.last == .updated("sword", .failed))
        #expect(recorder.transactions.allSatisfy { $0.transactionReceipt == nil })
        withExtendedLifetime(recorder) {}
    }
}
