import Foundation
import StoreCore
import StoreSQLite

/// An app that buys, finishes and restores on a store in a file until it is killed, and says all that it does and hears.
final class App: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: the app lives on one thread, and everything is delivered there.
    private let store: SandboxStore
    private let queue: SKPaymentQueue
    private let clock = ManualTimekeeper()
    private var random: SplitMix64
    private var count = 0

    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"), .nonConsumable("full.game", price: "4.99"),
    ]

    init(_ file: URL, seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        let database = try StoreDatabase(at: file, durability: .normal, lane: .caller)
        store = try SandboxStore(products: Self.products, timekeeper: clock, ledger: database.ledger)
        queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline, log: .standardError)
    }

    /// Lives until it is killed, or for a great many steps.
    func live() throws -> Never {
        queue.add(self)
        clock.advance(by: 600)
        say(.ready)
        for _ in 0..<100_000 { step() }
        exit(0)
    }

    private func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: add("sword")
        case 4: add("full.game")
        case 5..<8: if let transaction = queue.transactions.randomElement(using: &random) { finish(transaction) }
        case 8:
            // Nothing that was restored is left open for long, so that there is not ever more of it.
            if queue.transactions.count < 20 { queue.restoreCompletedTransactions() }
            while queue.transactions.count > 20 { finish(queue.transactions[0]) }
        default:
            // What is added and finished meanwhile goes to the journal.
            store.isReachable.toggle()
            if store.isReachable { clock.advance(by: 600) }
        }
    }

    private func add(_ product: String) {
        count += 1
        let payment = SKMutablePayment(productIdentifier: product)
        let name = "\(getpid()).\(UInt32.random(in: 0 ... .max, using: &random)).\(count)"
        payment.applicationUsername = name
        say(.adding(name))
        queue.add(payment)
        say(.added(name))
    }

    private func finish(_ transaction: SKPaymentTransaction) {
        guard transaction.transactionState != .purchasing else {
            if store.isReachable { clock.advance(by: 600) } else { store.isReachable = true }
            return
        }
        let name = Self.name(of: transaction)
        say(.finishing(name))
        queue.finishTransaction(transaction)
    }

    private static func name(of transaction: SKPaymentTransaction) -> String {
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

    /// At once: nothing that was said is lost with the process.
    private func say(_ word: Word) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(word.line)\n".utf8))
    }
}
