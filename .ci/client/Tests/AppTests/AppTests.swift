import Foundation
import StoreCore
import Testing

final class Shop: NSObject, SKPaymentTransactionObserver {
    var delivered: [String] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            delivered.append(transaction.payment.productIdentifier)
            queue.finishTransaction(transaction)
        }
    }
}

@Test func `A sword is sold and delivered`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let shop = Shop()
    queue.add(shop)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(shop.delivered == ["sword"])
    #expect(queue.transactions.isEmpty)
}
