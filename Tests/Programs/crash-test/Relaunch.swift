import Foundation
import StoreCore
import StoreSQLite

/// The next launch of an app on what a killed one has left: it hears all unfinished transactions, and finishes none.
final class Relaunch: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: it uses one thread, and everything is delivered there.
    /// The paid and unfinished transactions, with their payments' names.
    private(set) var purchased: [(name: String, transaction: String)] = []
    /// The shown transactions, by the names that apps know them by.
    private(set) var shown: Set<String> = []
    private(set) var failure: String?

    /// Launches, and returns when everything under way has a result.
    init(_ store: SandboxStore, _ journal: any QueueJournal, _ clock: ManualClock) {
        super.init()
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: .inline, log: .standardError)
        queue.add(self)
        withExtendedLifetime(queue) { clock.advance(by: 600) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            shown.insert(App.name(of: transaction))
            switch transaction.transactionState {
            case .purchased:
                let name = transaction.payment.applicationUsername ?? "?"
                purchased.append((name, transaction.transactionIdentifier ?? "?"))
            case .failed: failure = "\(transaction.error.map { "\($0)" } ?? "")"
            default: break
            }
        }
    }
}
