import StoreKit

/// The till of Store Kit 1: an observer of the payment queue.
public final class ClassicTill: NSObject, Till, @unchecked Sendable {
    // unchecked: the buyers are touched under the lock only.
    /// The products that came without being waited for.
    public let deliveries: AsyncStream<String>

    private let teller: AsyncStream<String>.Continuation
    private let queue: SKPaymentQueue
    private let lock = NSLock()
    private var buyers: [String: [CheckedContinuation<Sale, any Error>]] = [:]

    /// Begins to observe the default queue.
    public override init() {
        (deliveries, teller) = AsyncStream.makeStream()
        queue = .default()
        super.init()
        queue.add(self)
    }

    deinit {
        queue.remove(self)
        teller.finish()
    }

    /// Buys one of a product.
    public func buy(_ product: String) async throws -> Sale {
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock { buyers[product, default: []].append(continuation) }
            let payment = SKMutablePayment()
            payment.productIdentifier = product
            queue.add(payment)
        }
    }

    private func buyer(of transaction: SKPaymentTransaction) -> CheckedContinuation<Sale, any Error>? {
        lock.withLock {
            let product = transaction.payment.productIdentifier
            guard buyers[product]?.isEmpty == false else { return nil }
            return buyers[product]?.removeFirst()
        }
    }
}

extension ClassicTill: SKPaymentTransactionObserver {
    /// Purchases have moved on.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                queue.finishTransaction(transaction)
                if let buyer = buyer(of: transaction) {
                    buyer.resume(returning: .sold)
                } else {
                    teller.yield(transaction.payment.productIdentifier)
                }
            case .deferred: buyer(of: transaction)?.resume(returning: .waiting)
            case .failed:
                queue.finishTransaction(transaction)
                let error = transaction.error ?? SKError(.unknown)
                if (error as? SKError)?.code == .paymentCancelled {
                    buyer(of: transaction)?.resume(returning: .cancelled)
                } else {
                    buyer(of: transaction)?.resume(throwing: error)
                }
            case .restored: queue.finishTransaction(transaction)
            case .purchasing: break
            @unknown default: break
            }
        }
    }
}
