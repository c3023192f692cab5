import Foundation
import StoreCore

/// What a failure is, without its sentence.
enum Trouble: Equatable {
    case storeKit(SKError.Code)
    case network(URLError.Code)
    case other(String)

    init(_ error: any Error) {
        switch error {
        case let error as SKError: self = .storeKit(error.code)
        case let error as URLError: self = .network(error.code)
        default: self = .other(String(describing: error))
        }
    }
}

/// One thing that an observer was told.
enum Heard: Equatable {
    case updated(String, SKPaymentTransactionState)
    case removed(String)
    case restoreFinished
    case restoreFailed(Trouble)
    case storefrontChanged
    case revoked([String])
    case promoted(String)
}

/// An observer that records all it hears.
final class Recorder: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    typealias Reaction = @Sendable (SKPaymentQueue, [SKPaymentTransaction]) -> Void

    private struct State {
        var callbacks: [[Heard]] = []
        var transactions: [SKPaymentTransaction] = []
        var queues: [ObjectIdentifier] = []
        var contexts: [ObjectIdentifier] = []
        var running = 0
        var hasOverlapped = false
    }

    private let state = Locked(State())
    private let onUpdate: Reaction?
    private let onRemoval: Reaction?
    private let onRestored: (@Sendable (SKPaymentQueue) -> Void)?
    private let onPromotion: (@Sendable (SKPayment, SKProduct) -> Bool)?
    private let gone: Signal?

    /// Makes a recorder that does something of its own in some callbacks, after recording them.
    init(
        onUpdate: Reaction? = nil,
        onRemoval: Reaction? = nil,
        onRestored: (@Sendable (SKPaymentQueue) -> Void)? = nil,
        onPromotion: (@Sendable (SKPayment, SKProduct) -> Bool)? = nil,
        gone: Signal? = nil
    ) {
        self.onUpdate = onUpdate
        self.onRemoval = onRemoval
        self.onRestored = onRestored
        self.onPromotion = onPromotion
        self.gone = gone
    }

    deinit { gone?.fire() }

    /// A recorder that finishes whatever is decided, as an app does.
    static func finishing() -> Recorder {
        Recorder(onUpdate: { queue, transactions in
            for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
        })
    }

    /// Everything heard, in order.
    ///
    /// Which of it came in one callback is in ``callbacks``.
    var history: [Heard] { state.withLock { $0.callbacks.flatMap { $0 } } }
    /// What each callback said.
    var callbacks: [[Heard]] { state.withLock { $0.callbacks } }
    /// The transactions seen, each once, in the order in which they came.
    var transactions: [SKPaymentTransaction] { state.withLock { $0.transactions } }
    /// Whether one callback began while another was under way.
    var hasOverlapped: Bool { state.withLock { $0.hasOverlapped } }
    /// The queues that called, one for each callback.
    var queues: [ObjectIdentifier] { state.withLock { $0.queues } }
    /// What `default()` was, one for each callback.
    var defaultQueues: [ObjectIdentifier] { state.withLock { $0.contexts } }

    /// What was heard of one product.
    func history(of product: String) -> [Heard] {
        history.filter {
            switch $0 {
            case .updated(let identifier, _), .removed(let identifier), .promoted(let identifier): identifier == product
            default: false
            }
        }
    }

    /// Forgets what was heard, not what was seen.
    func clear() { state.withLock { $0.callbacks = [] } }

    private func record(_ queue: SKPaymentQueue, _ heard: [Heard], seen: [SKPaymentTransaction] = []) {
        let bound = ObjectIdentifier(SKPaymentQueue.default())
        state.withLock { state in
            state.running += 1
            if state.running > 1 { state.hasOverlapped = true }
            state.callbacks.append(heard)
            state.queues.append(ObjectIdentifier(queue))
            state.contexts.append(bound)
            for transaction in seen where !state.transactions.contains(where: { $0 === transaction }) {
                state.transactions.append(transaction)
            }
        }
    }

    private func leave() { state.withLock { $0.running -= 1 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        record(
            queue,
            transactions.map { .updated($0.payment.productIdentifier, $0.transactionState) },
            seen: transactions
        )
        onUpdate?(queue, transactions)
        leave()
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        record(queue, transactions.map { .removed($0.payment.productIdentifier) })
        onRemoval?(queue, transactions)
        leave()
    }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        record(queue, [.restoreFailed(Trouble(error))])
        leave()
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        record(queue, [.restoreFinished])
        onRestored?(queue)
        leave()
    }

    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool
    {
        record(queue, [.promoted(payment.productIdentifier)])
        defer { leave() }
        return onPromotion?(payment, product) ?? false
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
        record(queue, [.storefrontChanged])
        leave()
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        record(queue, [.revoked(productIdentifiers)])
        leave()
    }
}

extension SKPaymentTransaction {
    /// Purchased, failed or restored: the app may finish it.
    var isDecided: Bool { transactionState != .purchasing && transactionState != .deferred }

    /// Why it failed, without the sentence.
    var trouble: Trouble? { error.map { Trouble($0) } }

    /// The sentence that came with the error.
    var reason: String? {
        switch error {
        case let error as SKError: error.userInfo[StoreFailure.reasonKey] as? String
        case let error as URLError: error.userInfo[StoreFailure.reasonKey] as? String
        default: nil
        }
    }
}

/// Keeps the lines that go to a log.
final class LogRecorder: Sendable {
    private let kept = Locked<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    var log: StoreLog { StoreLog { [kept] line in kept.withLock { $0.append(line) } } }
}
