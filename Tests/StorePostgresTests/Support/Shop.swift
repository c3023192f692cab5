import Foundation
import StoreCore
import StorePostgres

/// What the tests sell.
enum Shop {
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("full.game", price: "4.99"),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club"),
    ]

    /// Returns the records of some purchases.
    static func records(_ count: Int) throws -> [LedgerRecord] {
        let memory = MemoryLedger()
        let store = try SandboxStore(products: products, ledger: memory)
        while memory.head < count { try store.account.buy("sword") }
        return memory.read(after: 0, limit: count)
    }
}

/// A store on a database, and a queue with an observer that finishes what is bought there.
final class WatchedShop: Sendable {
    let store: SandboxStore
    let queue: SKPaymentQueue
    private let shopper = Shopper()

    init(_ database: PostgresDatabase, _ name: String = "shop", lane: BackendLane = .background) throws {
        store = try SandboxStore(
            products: Shop.products,
            clock: SystemClock.shared,
            ledger: database.ledger(name, lane: lane)
        )
        queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        queue.add(shopper)
    }

    var history: [String] { shopper.history }

    /// Waits until so many swords have been bought and finished.
    func waitForSwords(_ count: Int) { shopper.wait(for: "sword removed", times: count) }
}

/// An observer that finishes what was bought, and whose history can be waited for.
final class Shopper: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: everything is touched with the condition's lock held.
    private let condition = NSCondition()
    private var heard: [String] = []
    private let finishes: Bool

    init(finishes: Bool = true) { self.finishes = finishes }

    /// Each as in "sword purchased" or "sword removed".
    var history: [String] { condition.withLock { heard } }

    /// Waits until it has heard a line as often as that.
    func wait(for line: String, times: Int = 1) {
        condition.withLock { while heard.count(where: { $0 == line }) < times { condition.wait() } }
    }

    private func hear(_ line: String) {
        condition.withLock {
            heard.append(line)
            condition.broadcast()
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                hear("\(transaction.payment.productIdentifier) purchased")
                if finishes { queue.finishTransaction(transaction) }
            case .failed:
                let reason = transaction.error.map { StoreFailure($0).reason } ?? ""
                hear("\(transaction.payment.productIdentifier) failed: \(reason)")
                if finishes { queue.finishTransaction(transaction) }
            default: break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { hear("\(transaction.payment.productIdentifier) removed") }
    }
}
