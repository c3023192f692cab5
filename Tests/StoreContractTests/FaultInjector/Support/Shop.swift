import Foundation
import StoreContract
import StoreCore

/// A sandbox behind an injector, and a count of what it charges.
struct Shop: Sendable {
    let clock = ManualClock()
    let store: SandboxStore
    let injector: FaultInjector
    private let charged = Locked<[String]>([])

    init(label: String? = nil, seed: UInt64 = 0, timeout: TimeInterval = 60) throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"), .consumable("shield", price: "1.99"),
                .consumable("spear", price: "2.99"), .nonConsumable("full.game", price: "4.99"),
            ],
            clock: clock,
            locale: "en_US",
            authorizer: Authorizer { [charged] request in
                charged.withLock { $0.append(request.productIdentifier) }
                return .approve
            }
        )
        injector = FaultInjector(store, label: label, seed: seed, timeout: timeout)
    }

    /// What the store has sold, each as often as it was charged.
    var charges: [String] { charged.withLock { $0 } }

    func queue(_ shopper: Shopper, journal: (any QueueJournal)? = nil) -> SKPaymentQueue {
        let queue = SKPaymentQueue(backend: injector, journal: journal, delivery: .inline, log: .silent)
        queue.add(shopper)
        return queue
    }
}

extension SKPaymentQueue {
    func buy(_ products: String...) { for product in products { add(SKPayment(productIdentifier: product)) } }
}

/// An observer that records what it hears, and finishes what is decided.
final class Shopper: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: what it heard is behind a lock.
    private let state = Locked<(heard: [String], identifiers: [String])>(([], []))

    /// A line for each thing heard, such as `purchased sword`.
    var heard: [String] { state.withLock { $0.heard } }
    /// The transactions that were sold or restored.
    var identifiers: [String] { state.withLock { $0.identifiers } }

    /// What was heard of one product, without its name.
    func heard(of product: String) -> [String] {
        heard.compactMap { $0.hasSuffix(" \(product)") ? String($0.dropLast(product.count + 1)) : nil }
    }

    private func note(_ line: String) { state.withLock { $0.heard.append(line) } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let product = transaction.payment.productIdentifier
            switch transaction.transactionState {
            case .purchasing: note("purchasing \(product)")
            case .purchased: note("purchased \(product)")
            case .failed: note("failed \(product)")
            case .restored: note("restored \(product)")
            case .deferred: note("deferred \(product)")
            @unknown default: note("unknown \(product)")
            }
            if let identifier = transaction.transactionIdentifier {
                state.withLock { $0.identifiers.append(identifier) }
            }
            if ![.purchasing, .deferred].contains(transaction.transactionState) {
                queue.finishTransaction(transaction)
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { note("removed \(transaction.payment.productIdentifier)") }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { note("restore finished") }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        note("restore failed")
    }
}
