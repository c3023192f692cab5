import Foundation
import StoreCore
import StoreSQLite

/// The next launch of an app on what a dead one has left: it hears all that is unfinished, and finishes nothing.
final class Relaunch: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: it lives on one thread, and everything is delivered there.
    /// What is paid for and not finished: the payments' names, and their transactions.
    private(set) var purchased: [(name: String, transaction: String)] = []
    /// What was shown, by the names that apps know it by.
    private(set) var shown: Set<String> = []
    private(set) var failure: String?

    /// Lasts until everything that was on its way has come out.
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
