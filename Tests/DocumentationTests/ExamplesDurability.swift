// The code of the article "What is promised when the process dies", compiled and run.
import Foundation
import StoreCore
import StoreSQLite
import Testing

@Suite(.enabled(if: SQLite.isAvailable, Comment(rawValue: SQLite.advice))) struct DurabilityExamples {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "DurabilityExamples-\(UUID())")
    private var file: URL { folder.appending(path: "store.sqlite") }
    private let till = Spectator()

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    func sell(on database: SQLiteDatabase) throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: database.ledger)
        let queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline)
        queue.add(till)
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.settle()
    }

    @Test func `A store in a file is the same store after a relaunch, and has one user at a time`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try sell(on: SQLiteDatabase(at: file))
        } catch SQLiteDatabaseError.Code.inUse {
            print("Another till is open.")
        }
        let observer = Spectator()

        let database = try SQLiteDatabase(at: file)
        let store = try SandboxStore(ledger: database.ledger)
        let queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline)
        queue.add(observer)
        queue.settle()

        #expect(observer.seen.last == "sword purchased")
    }

    @Test func `A database is opened, sold on and delivered from`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

        let database = try SQLiteDatabase(at: folder.appending(path: "store.sqlite"))
        let store = try SandboxStore(products: products, ledger: database.ledger)
        let queue = SKPaymentQueue(backend: store, journal: database.journal)

        #expect(queue.transactions.isEmpty)
    }
}

/// An observer that finishes nothing.
final class Spectator: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: `lines` is touched only under the lock.
    private let lock = NSLock()
    private var lines: [String] = []

    var seen: [String] { lock.withLock { lines } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let line = "\(transaction.payment.productIdentifier) \(transaction.transactionState)"
            lock.withLock { lines.append(line) }
        }
    }
}
