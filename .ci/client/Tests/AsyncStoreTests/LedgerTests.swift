import AsyncStore
import StoreKitTest
import Testing

// Compiles only as long as `import StoreKitTest`, and `import StoreKit` with it, brings no names but Store Kit's.

@Suite struct LedgerTests {
    @Test func `A module's own names are its own beside Store Kit's`() {
        let payment = SKMutablePayment()
        payment.productIdentifier = "piano"
        let transaction = SKPaymentTransaction()
        transaction.setValue(payment, forKey: "payment")
        var ledger: Ledger = Ledger()
        ledger.append(Activity.bought(StoreTransaction(transaction)))
        ledger.append(.refused(StoreTransaction(transaction), ReceiptError.missing))
        #expect(ledger.activities.count == 2)
        let products: [StoreProduct] = []
        #expect(products.isEmpty)
    }
}
