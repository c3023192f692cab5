import Foundation
import StoreCore

/// The client of the figures: it finishes decided transactions, unless it keeps them, and counts removed ones.
final class StoreFinisher: NSObject, SKPaymentTransactionObserver {
    private let keeps: Bool
    private(set) var received = 0
    private(set) var removed = 0
    private(set) var restores = 0

    init(keeps: Bool = false) { self.keeps = keeps }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for index in transactions.indices {
            switch transactions[index].transactionState {
            case .purchased, .restored:
                received += 1
                if !keeps { queue.finishTransaction(transactions[index]) }
            default: break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        removed += transactions.count
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restores += 1 }
}

/// A queue on a sandbox store with one observer, which the queue holds weakly.
struct StoreShop {
    let store: SandboxStore
    let queue: SKPaymentQueue
    let observer: StoreFinisher
    static let coins = "com.example.coins.100"

    static func makeStore() throws -> SandboxStore {
        try SandboxStore(products: [
            .consumable(coins, price: "0.99"), .nonConsumable("com.example.castle", price: "9.99"),
        ])
    }

    init(delivery: StoreDelivery = .inline, keeps: Bool = false) throws {
        store = try Self.makeStore()
        queue = SKPaymentQueue(backend: store, delivery: delivery)
        observer = StoreFinisher(keeps: keeps)
        queue.add(observer)
    }

    /// Buys consumables, one after the other, and returns how many were removed.
    func buy(_ count: Int) -> Int {
        let before = observer.removed
        for _ in 0..<count { queue.add(SKPayment(productIdentifier: Self.coins)) }
        return observer.removed - before
    }
}
