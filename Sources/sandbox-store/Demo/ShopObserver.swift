import Foundation
import StoreCore

/// The app's observer: it delivers purchases and then finishes them, and finishes failed transactions.
final class ShopObserver: NSObject, SKPaymentTransactionObserver {
    private let timeline: Timeline
    /// Whether the app runs long enough to deliver.
    ///
    /// It hears of unfinished transactions again at its next launch.
    private let delivers: Bool
    /// The receipt of the latest delivery.
    private(set) var receipt: Data?

    init(timeline: Timeline, delivers: Bool = true) {
        self.timeline = timeline
        self.delivers = delivers
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let product = transaction.payment.productIdentifier
            timeline(.observer, Self.describe(transaction))
            switch transaction.transactionState {
            case .purchasing, .deferred:
                break
            case .purchased, .restored:
                guard delivers else {
                    timeline(.app, "is stopped before it can deliver \(product)")
                    continue
                }
                receipt = transaction.transactionReceipt
                timeline(.app, "delivers \(product) and finishes the transaction")
                queue.finishTransaction(transaction)
            case .failed:
                queue.finishTransaction(transaction)
            @unknown default:
                break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { timeline(.observer, Self.describe(transaction, as: "removed")) }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        timeline(.observer, "that was everything to restore")
    }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        timeline(.observer, "restoring failed: \(Self.describe(error))")
    }
}

// MARK: - In words

extension ShopObserver {
    /// Returns a transaction in one line, with an event: unless given, the change to its state.
    private static func describe(_ transaction: SKPaymentTransaction, as event: String? = nil) -> String {
        let quantity = transaction.payment.quantity
        var text = (event ?? "\(transaction.transactionState)").padded(to: 10)
        text += quantity == 1 ? "  " : "  \(quantity) × "
        text += transaction.payment.productIdentifier
        if event == nil {
            if let place = place(of: transaction) { text += ", \(place)" }
            if let original = transaction.original, let place = place(of: original) { text += ", first \(place)" }
            if let error = transaction.error { text += ", \(describe(error))" }
        }
        return text
    }

    private static func place(of transaction: SKPaymentTransaction) -> String? {
        guard let identifier = transaction.transactionIdentifier, let date = transaction.transactionDate else {
            return nil
        }
        return "transaction \(identifier) of \(Wording.moment(date))"
    }

    private static func describe(_ error: any Error) -> String {
        guard let error = error as? SKError else { return error.localizedDescription }
        let reason = error.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
        return "SKError \(error.errorCode) \(error.code): \(reason ?? error.localizedDescription)"
    }
}
