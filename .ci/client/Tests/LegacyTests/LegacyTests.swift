// A client that knows only Store Kit, beside the store that it is tested on.
import StoreCore
import StoreKit
import Testing

// Clients print what they are told: the names are free for them to give.
extension SKPaymentTransactionState: @retroactive CustomStringConvertible {
    /// For the app's log.
    public var description: String { "state \(rawValue)" }
}
extension SKProduct.PeriodUnit: @retroactive CustomDebugStringConvertible {
    /// For the app's log.
    public var debugDescription: String { "unit \(rawValue)" }
}

final class Checkout: NSObject, SKPaymentTransactionObserver {
    var unlocked: Set<String> = []

    func start() { SKPaymentQueue.default().add(self) }

    func buy(_ product: SKProduct) {
        guard SKPaymentQueue.canMakePayments() else { return }
        SKPaymentQueue.default().add(SKPayment(product: product))
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored:
                unlocked.insert(transaction.payment.productIdentifier)
                queue.finishTransaction(transaction)
            case .failed:
                queue.finishTransaction(transaction)
            case .purchasing, .deferred:
                break
            @unknown default:
                break
            }
        }
    }
}

@Test func `An app's checkout unlocks what it sells`() throws {
    let store = try SandboxStore(products: [.nonConsumable("full.game", price: "4.99")])
    StoreContext(backend: store, delivery: .inline).run {
        let checkout = Checkout()
        checkout.start()
        checkout.buy(SKProduct(productIdentifier: "full.game"))
        #expect(checkout.unlocked == ["full.game"])
    }
}
