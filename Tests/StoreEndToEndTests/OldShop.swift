import Foundation
import StoreCore
import StoreSimulator

/// An app with the payment queue of Store Kit 1, which uploads the identifiers of its transactions.
final class OldShop: NSObject, SKPaymentTransactionObserver, Sendable {
    private let launch: AppLaunch

    init(_ launch: AppLaunch) {
        self.launch = launch
        super.init()
        SKPaymentQueue.default().add(self)
    }

    func buy(_ product: String) {
        let payment = SKMutablePayment()
        payment.productIdentifier = product
        payment.applicationUsername = launch.customer
        SKPaymentQueue.default().add(payment)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: Task { await upload(transaction, queue) }
            case .failed, .restored: queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }

    private func upload(_ transaction: SKPaymentTransaction, _ queue: SKPaymentQueue) async {
        guard let identifier = transaction.transactionIdentifier else { return }
        let customer = transaction.payment.applicationUsername ?? launch.customer
        let upload = Data(#"{ "transactionId": "\#(identifier)" }"#.utf8)
        let answer = try? await launch.server?.post("/customers/\(customer)/transactions", upload)
        // The App Store Server API does not know an order for what the user owns, with which nothing was sold.
        if answer?.isSuccess == true || answer?.status == 404 { queue.finishTransaction(transaction) }
    }
}
