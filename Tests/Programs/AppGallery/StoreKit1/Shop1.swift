import StoreKit
import StoreSimulator

/// A right shop on Store Kit 1, of which faulty ones override what they do wrong.
class Shop1: NSObject, GalleryApp, SKPaymentTransactionObserver {
    let storage: AppStorage

    required init(_ launch: AppLaunch) {
        storage = launch.storage
        super.init()
        observe()
    }

    deinit { SKPaymentQueue.default().remove(self) }

    /// Begins to observe the payment queue.
    func observe() { SKPaymentQueue.default().add(self) }

    func buyThree() {
        let payment = SKMutablePayment()
        payment.productIdentifier = "sword"
        payment.quantity = 3
        SKPaymentQueue.default().add(payment)
    }

    func buy(_ product: String) { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }

    func restore() { SKPaymentQueue.default().restoreCompletedTransactions() }

    /// The gifts that came with products which last.
    var gifts: Int { storage["gifts", default: [String]()].count }

    var swords: Int { storage["delivered", default: [String: Int]()].values.reduce(0, +) }

    func has(_ product: String) async -> Bool {
        for await case .verified in Transaction.currentEntitlements(for: product) { return true }
        return false
    }

    // MARK: SKPaymentTransactionObserver

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored: deliver(transaction)
            case .failed: fail(transaction)
            case .purchasing, .deferred: wait(for: transaction)
            @unknown default: break
            }
        }
    }

    // Access is looked up when it is wanted, and so needs no news of its end.
    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}

    /// Shows that a purchase is under way.
    func wait(for transaction: SKPaymentTransaction) {}

    /// Shows that a purchase has failed.
    func fail(_ transaction: SKPaymentTransaction) { SKPaymentQueue.default().finishTransaction(transaction) }

    /// Delivers what was paid for, and finishes the transaction.
    func deliver(_ transaction: SKPaymentTransaction) {
        keep(transaction)
        give(for: transaction)
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    /// Makes a gift for the game, once.
    func give(for transaction: SKPaymentTransaction) {
        let product = transaction.payment.productIdentifier
        let gifts: [String] = storage["gifts", default: []]
        if product == "game", !gifts.contains(product) { storage["gifts"] = gifts + [product] }
    }

    /// Keeps what was paid for, once for each transaction.
    func keep(_ transaction: SKPaymentTransaction) {
        guard transaction.payment.productIdentifier == "sword", let identifier = transaction.transactionIdentifier
        else { return }
        var delivered: [String: Int] = storage["delivered", default: [:]]
        delivered[identifier] = transaction.payment.quantity
        storage["delivered"] = delivered
    }
}
