import Foundation
import StoreContract
import StoreCore
import StoreSQLite

/// An app that buys, finishes and restores on a store in a file until it is killed, and prints all that it does and
/// hears.
///
/// Everything that it prints of one transaction is printed on the delivering thread, in order.
final class App: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: `random` is used on the main thread only, everything else is constant.

    /// The place where queue and store work.
    enum Lane: String, CaseIterable {
        /// On the caller's thread: everything is done when a call returns.
        case caller
        /// As StoreCore sets a queue up by default, on a serial queue for callbacks: finishing waits behind purchases
        /// made meanwhile.
        case background
    }

    /// The transport between the queue and the store.
    enum Transport: String, CaseIterable {
        /// The queue asks the store by value.
        case direct
        /// The queue knows the socket only.
        case socket
    }

    /// The interface that the app uses.
    enum Face: String, CaseIterable {
        /// Store Kit 1: this class.
        case storekit1
        /// Store Kit 2: ``AsyncApp``.
        case storekit2
    }

    /// The configuration of the app.
    struct Setup {
        var lane: Lane
        var transport: Transport
        var face: Face
    }

    private let store: SandboxStore
    private let queue: SKPaymentQueue
    private let clock = ManualClock()
    /// The queue of the callbacks; nil on the caller's thread.
    private let deliveries: DispatchQueue?
    private var random: SplitMix64

    static let products: [SandboxProduct] =
        [.consumable("sword", price: "0.99"), .nonConsumable("full.game", price: "4.99")]
        + AsyncApp.products.map { .consumable($0, price: "0.99") }

    init(_ file: URL, seed: UInt64, setup: Setup) throws {
        random = SplitMix64(seed: seed)
        deliveries = setup.lane == .caller ? nil : DispatchQueue(label: "crash-test.deliveries")
        let database = try setup.database(at: file)
        store = try SandboxStore(products: Self.products, clock: clock, ledger: database.ledger)
        queue = SKPaymentQueue(
            backend: setup.backend(store),
            journal: database.journal,
            delivery: deliveries.map { .queue($0) } ?? .inline,
            log: .standardError
        )
    }

    /// Runs until it is killed, or for a large number of operations.
    func run() throws -> Never {
        queue.add(self)
        clock.advance(by: 600)
        queue.settle()
        deliver { self.say(.ready) }
        for _ in 0..<100_000 { performOperation() }
        exit(0)
    }

    private func performOperation() {
        // A backlog grows between two advances of the clock, which lets everything settle.
        switch Int.random(in: 0..<(deliveries == nil ? 10 : 40), using: &random) {
        case 0: add("full.game")
        case 1:
            deliver { [self] in
                // Restored transactions are not left open for long, so that their number does not grow forever.
                if queue.transactions.count < 20 { queue.restoreCompletedTransactions() }
                while queue.transactions.count > 20, finish(queue.transactions[0]) {}
            }
        case 2:
            // Commands added meanwhile go to the journal.
            store.isReachable.toggle()
            if store.isReachable { clock.advance(by: 600) }
        case let number where number % 2 == 0:
            let draw = random.next()
            deliver { [self] in
                let transactions = queue.transactions
                if !transactions.isEmpty { finish(transactions[Int(draw % UInt64(transactions.count))]) }
            }
        default: add("sword")
        }
    }

    /// Runs a body where callbacks are made.
    private func deliver(_ body: @escaping @Sendable () -> Void) {
        if let deliveries { deliveries.async(execute: body) } else { body() }
    }

    private func add(_ product: String) {
        let payment = SKMutablePayment(productIdentifier: product)
        let name = AppMessage.newName(&random)
        payment.applicationUsername = name
        say(.adding(name))
        queue.add(payment)
        // On its own lane the queue records it later, and confirms that by showing it.
        if deliveries == nil { say(.added(name)) }
    }

    /// Finishes a transaction.
    ///
    /// Returns false for one that is not decided.
    @discardableResult
    private func finish(_ transaction: SKPaymentTransaction) -> Bool {
        guard transaction.transactionState != .purchasing else {
            // Decided by the thread that advances the clock.
            if deliveries == nil {
                if store.isReachable { clock.advance(by: 600) } else { store.isReachable = true }
            }
            return deliveries == nil
        }
        let name = Self.name(of: transaction)
        say(.finishing(name))
        queue.finishTransaction(transaction)
        return true
    }

    /// Returns the name under which the expected state tracks a transaction.
    static func name(of transaction: SKPaymentTransaction) -> String {
        transaction.transactionState == .restored
            ? transaction.transactionIdentifier ?? "?" : transaction.payment.applicationUsername ?? "?"
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let name = Self.name(of: transaction)
            switch transaction.transactionState {
            case .purchasing: say(.purchasing(name))
            case .purchased: say(.purchased(name, transaction: transaction.transactionIdentifier ?? "?"))
            case .restored: say(.restored(name))
            default: say(.failed("\(name): \(transaction.error.map { "\($0)" } ?? "")"))
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { say(.finished(Self.name(of: transaction))) }
    }

    private func say(_ message: AppMessage) { message.say() }
}

extension App.Setup {
    func database(at file: URL) throws -> SQLiteDatabase {
        switch lane {
        case .caller: try SQLiteDatabase(at: file, durability: .normal, lane: .caller)
        case .background: try SQLiteDatabase(at: file, durability: .normal)
        }
    }

    func backend(_ store: SandboxStore) -> any StoreBackend { transport == .direct ? store : SocketBackend(store) }
}
