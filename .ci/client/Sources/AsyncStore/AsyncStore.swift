import StoreKit

/// The store, for code that awaits.
public final class AsyncStore: NSObject, @unchecked Sendable {
    // unchecked: the state is touched under the lock only.
    /// What happens by itself, for one listener.
    public let updates: AsyncStream<Update>

    private let queue: SKPaymentQueue
    private let deliver: @Sendable (Purchase) async -> Void
    private let teller: AsyncStream<Update>.Continuation
    private let lock = NSLock()
    private var state = State()

    private struct State {
        var products: [String: SKProduct] = [:]
        var buyers: [String: [CheckedContinuation<Outcome, any Error>]] = [:]
        var restored: [String] = []
        var restorer: CheckedContinuation<[String], any Error>?
    }

    /// Keeps the queue, and observes it until the store goes.
    ///
    /// What is bought is delivered first, however long that takes, and finished then.
    public init(queue: SKPaymentQueue = .default(), deliver: @escaping @Sendable (Purchase) async -> Void = { _ in }) {
        self.queue = queue
        self.deliver = deliver
        (updates, teller) = AsyncStream.makeStream()
        super.init()
        queue.add(self)
    }

    deinit { queue.remove(self) }

    /// What of these the store sells, in the order of their names.
    public func items(_ identifiers: Set<String>) async throws -> [Item] {
        let products = try await ProductsLoader(identifiers).products()
        lock.withLock {
            for product in products { state.products[product.productIdentifier] = product }
        }
        return products.map { Item($0) }.sorted { $0.id < $1.id }
    }

    /// Buys an item that has been loaded.
    public func buy(_ item: String, quantity: Int = 1) async throws -> Outcome {
        guard let product = lock.withLock({ state.products[item] }) else { throw SKError(.storeProductNotAvailable) }
        guard SKPaymentQueue.canMakePayments() else { throw SKError(.paymentNotAllowed) }
        return try await withCheckedThrowingContinuation { continuation in
            lock.withLock { state.buyers[item, default: []].append(continuation) }
            let payment = SKMutablePayment(product: product)
            payment.quantity = quantity
            queue.add(payment)
        }
    }

    /// Brings back what was bought on other devices.
    public func restore() async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock { (state.restored, state.restorer) = ([], continuation) }
            queue.restoreCompletedTransactions()
        }
    }
}

extension AsyncStore: SKPaymentTransactionObserver {
    /// Purchases have moved on.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: complete(transaction)
            case .restored:
                lock.withLock { state.restored.append(transaction.payment.productIdentifier) }
                queue.finishTransaction(transaction)
            case .deferred: buyer(of: transaction)?.resume(returning: .pending)
            case .failed: fail(transaction)
            default: break
            }
        }
    }

    private func complete(_ transaction: SKPaymentTransaction) {
        let buyer = buyer(of: transaction)
        Task { [self] in
            let purchase = Purchase(transaction)
            await deliver(purchase)
            queue.finishTransaction(transaction)
            if let buyer { buyer.resume(returning: .bought(purchase)) } else { teller.yield(.bought(purchase)) }
        }
    }

    private func fail(_ transaction: SKPaymentTransaction) {
        let buyer = buyer(of: transaction)
        queue.finishTransaction(transaction)
        do {
            throw transaction.error ?? SKError(.unknown)
        } catch SKError.paymentCancelled {
            buyer?.resume(returning: .cancelled)
        } catch {
            buyer?.resume(throwing: error)
        }
    }

    private func buyer(of transaction: SKPaymentTransaction) -> CheckedContinuation<Outcome, any Error>? {
        lock.withLock {
            let item = transaction.payment.productIdentifier
            guard state.buyers[item]?.isEmpty == false else { return nil }
            return state.buyers[item]?.removeFirst()
        }
    }

    /// Nothing more is restored.
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        endRestoring()?.resume(returning: lock.withLock { state.restored })
    }

    /// Restoring went wrong.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        endRestoring()?.resume(throwing: error)
    }

    private func endRestoring() -> CheckedContinuation<[String], any Error>? {
        lock.withLock {
            defer { state.restorer = nil }
            return state.restorer
        }
    }

    /// Purchases were paid back.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        teller.yield(.refunded(productIdentifiers))
    }

    /// Prices have changed.
    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
        lock.withLock { state.products = [:] }
        teller.yield(.moved(country: queue.storefront?.countryCode ?? ""))
    }
}
