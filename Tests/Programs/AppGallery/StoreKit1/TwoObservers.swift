import StoreKit
import StoreSimulator

extension Exhibit {
    static let twoObservers = Exhibit(
        "Two observers deliver",
        complaint: "Every sword comes twice. I do not complain.",
        faulty: TwoObservers.self,
        mended: Shop1.self
    )
}

private final class TwoObservers: Shop1 {
    /// A part of the app that does the same.
    private final class Statistics: NSObject, SKPaymentTransactionObserver {
        weak var shop: TwoObservers?

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions where transaction.transactionState == .purchased {
                shop?.keep(transaction)
            }
        }
    }

    private let statistics = Statistics()

    override var swords: Int { storage["swords", default: 0] }

    override func observe() {
        super.observe()
        statistics.shop = self
        SKPaymentQueue.default().add(statistics)
    }

    // Every observer is told of every transaction.
    override func keep(_ transaction: SKPaymentTransaction) {
        storage["swords", default: 0] += transaction.payment.quantity
    }
}
