import Foundation
import StoreCore
import StoreSQLite

/// An observer that notes what it hears, and finishes what is decided if it is told to.
final class Shopper: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    private let heard = Locked<[String]>([])
    private let finishes: Bool
    private let onUpdate: (@Sendable (SKPaymentTransaction) -> Void)?
    private let onHearing: @Sendable (String) -> Void

    init(
        finishes: Bool = false,
        onUpdate: (@Sendable (SKPaymentTransaction) -> Void)? = nil,
        onHearing: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.finishes = finishes
        self.onUpdate = onUpdate
        self.onHearing = onHearing
    }

    /// Each as in "sword purchased", "sword removed" or "sword revoked".
    var history: [String] { heard.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let state = transaction.transactionState
            hear("\(transaction.payment.productIdentifier) \(state)")
            onUpdate?(transaction)
            let isDecided = state != .purchasing && state != .deferred
            if finishes, isDecided { queue.finishTransaction(transaction) }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { hear("\(transaction.payment.productIdentifier) removed") }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        for product in productIdentifiers { hear("\(product) revoked") }
    }

    private func hear(_ line: String) {
        heard.withLock { $0.append(line) }
        onHearing(line)
    }
}

/// An app: a store and a queue on one database.
struct Shop {
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("full.game", price: "4.99"),
        .nonRenewing("season", price: "2.99"),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club"),
    ]

    let store: SandboxStore
    let queue: SKPaymentQueue
    let shopper: Shopper

    init(
        _ database: SQLiteDatabase,
        shopper: Shopper = Shopper(),
        clock: ManualClock = ManualClock(),
        authorizer: Authorizer = .approving,
        delivery: StoreDelivery = .inline
    ) throws {
        store = try SandboxStore(products: Self.products, clock: clock, ledger: database.ledger, authorizer: authorizer)
        queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: delivery, log: .silent)
        self.shopper = shopper
        queue.add(shopper)
    }

    func buy(_ product: String) { queue.add(SKPayment(productIdentifier: product)) }
}
