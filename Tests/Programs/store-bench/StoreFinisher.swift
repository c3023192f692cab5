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
    /// The consumable that is bought.
    private let product: String

    static func makeStore() throws -> SandboxStore {
        try SandboxStore(products: [
            .consumable(coins, price: "0.99"), .nonConsumable("com.example.castle", price: "9.99"),
        ])
    }

    init(delivery: StoreDelivery = .inline, keeps: Bool = false) throws {
        let store = try Self.makeStore()
        self.init(store, selling: Self.coins, on: store, delivery: delivery, keeps: keeps)
    }

    init(
        _ store: SandboxStore,
        selling product: String,
        on backend: any StoreBackend,
        journal: (any QueueJournal)? = nil,
        delivery: StoreDelivery,
        keeps: Bool = false
    ) {
        (self.store, self.product) = (store, product)
        queue = SKPaymentQueue(backend: backend, journal: journal, delivery: delivery)
        observer = StoreFinisher(keeps: keeps)
        queue.add(observer)
    }

    /// Buys consumables, one after the other, and returns how many were removed.
    func buy(_ count: Int) -> Int {
        let before = observer.removed
        for _ in 0..<count { queue.add(SKPayment(productIdentifier: product)) }
        return observer.removed - before
    }

    /// Buys with at most so many purchases under way, and returns how many were removed.
    func buy(_ count: Int, atOnce most: Int) -> Int {
        let before = observer.removed
        var left = count
        while left > 0 {
            _ = buy(min(most, left))
            queue.settle()
            left -= most
        }
        return observer.removed - before
    }
}
