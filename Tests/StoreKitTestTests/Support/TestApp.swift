import StoreCore
import StoreKitTest

/// An app with a test session in a context of its own, on a clock that the test moves.
final class TestApp {
    let clock: ManualClock
    let context: StoreContext
    let session: SKTestSession
    let log = LineRecorder()
    let shop = Shop()

    init(_ configuration: String = "Shop", clock: ManualClock = ManualClock()) throws {
        self.clock = clock
        context = StoreContext(delivery: .inline, log: log.log)
        let context = context
        session = try context.run { try SKTestSession(contentsOf: Self.url(configuration), clock: clock) }
        context.run { [shop] in SKPaymentQueue.default().add(shop) }
    }

    static func url(_ configuration: String) -> URL {
        Bundle.module.url(forResource: configuration, withExtension: "storekit", subdirectory: "Resources")!
    }

    var queue: SKPaymentQueue { context.run { SKPaymentQueue.default() } }

    func buy(_ productIdentifier: String, quantity: Int = 1) {
        let payment = SKMutablePayment()
        payment.productIdentifier = productIdentifier
        payment.quantity = quantity
        queue.add(payment)
    }

    /// What the app has heard since it was last asked.
    var heard: [String] { shop.takeHeard() }

    /// The session's transactions, each with its number.
    var list: [String] { session.allTransactions().map { "\($0.identifier) \($0.productIdentifier) \($0.state)" } }
}

/// Finishes what is done, and writes down what it hears.
final class Shop: NSObject, SKPaymentTransactionObserver {
    private var heard: [String] = []
    /// The identifiers of what was purchased or restored.
    private(set) var identifiers: [String] = []
    private(set) var errors: [any Error] = []
    var finishes = true

    func takeHeard() -> [String] {
        defer { heard = [] }
        return heard
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let error = (transaction.error as? SKError).map { " (\($0.code))" } ?? ""
            heard.append("\(transaction.payment.productIdentifier) \(transaction.transactionState)\(error)")
            if let error = transaction.error { errors.append(error) }
            if let identifier = transaction.transactionIdentifier { identifiers.append(identifier) }
            switch transaction.transactionState {
            case .purchased, .restored, .failed: if finishes { queue.finishTransaction(transaction) }
            default: break
            }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers products: [String]) {
        heard.append("revoked \(products.joined(separator: ", "))")
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { heard.append("restored all") }

    func write(_ line: String) { heard.append(line) }
}

/// Keeps what a context logs.
final class LineRecorder: @unchecked Sendable {  // unchecked: the lines are touched under the lock only
    private let lock = NSLock()
    private var written: [String] = []

    var lines: [String] { lock.withLock { written } }
    var log: StoreLog { StoreLog { [self] line in lock.withLock { written.append(line) } } }
}
