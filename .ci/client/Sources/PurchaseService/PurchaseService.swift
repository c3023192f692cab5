import StoreKit

/// Sells, and believes nothing that the receipt does not say.
///
/// Completion handlers are called on the main thread, or wherever the validator answers.
public final class PurchaseService: NSObject {
    /// What becomes of one purchase.
    public typealias Completion = (Result<Purchase, PurchaseError>) -> Void

    /// Hears of what nobody has just bought here: renewals, approvals, purchases on other devices.
    public var onUpdate: Completion?

    private let queue: SKPaymentQueue
    private let validator: ReceiptValidator
    private let lock = NSLock()
    // All four are touched under the lock only.
    private var requests: [SKRequest: (Result<[SKProduct], PurchaseError>) -> Void] = [:]
    private var purchases: [String: [Completion]] = [:]
    private var restored: [SKPaymentTransaction] = []
    private var restoring: ((Result<[Purchase], PurchaseError>) -> Void)?

    /// Keeps the queue for as long as the app runs.
    public init(queue: SKPaymentQueue = .default(), validator: ReceiptValidator) {
        self.queue = queue
        self.validator = validator
    }

    /// Begins to observe the queue.
    public func start() { queue.add(self) }

    /// Stops observing the queue.
    public func stop() { queue.remove(self) }

    /// Asks for products; all of them, or it fails.
    public func products(
        _ identifiers: Set<String>,
        completion: @escaping (Result<[SKProduct], PurchaseError>) -> Void
    ) {
        send(SKProductsRequest(productIdentifiers: identifiers), completion)
    }

    /// Buys a product.
    public func purchase(_ product: SKProduct, completion: @escaping Completion) {
        guard SKPaymentQueue.canMakePayments() else { return completion(.failure(.notAllowed)) }
        lock.withLock { purchases[product.productIdentifier, default: []].append(completion) }
        queue.add(SKPayment(product: product))
    }

    /// Brings back what was bought on other devices.
    public func restore(completion: @escaping (Result<[Purchase], PurchaseError>) -> Void) {
        lock.withLock { (restored, restoring) = ([], completion) }
        queue.restoreCompletedTransactions()
    }

    /// What the user has, by the receipt.
    public func ownedProducts(completion: @escaping (Result<Set<String>, PurchaseError>) -> Void) {
        receipt { receipt in completion(receipt.map { $0.products(at: Date()) }) }
    }

    // MARK: Receipts

    /// The receipt of this device, which is asked for where there is none.
    private func receipt(completion: @escaping (Result<InAppReceipt, PurchaseError>) -> Void) {
        if let data = Self.receiptData { return validate(data, completion) }
        send(SKReceiptRefreshRequest()) { [self] answer in
            if case .failure(let error) = answer { return completion(.failure(error)) }
            guard let data = Self.receiptData else { return completion(.failure(.notInReceipt)) }
            validate(data, completion)
        }
    }

    private static var receiptData: Data? {
        Bundle.main.appStoreReceiptURL.flatMap { try? Data(contentsOf: $0) }
    }

    private func validate(_ data: Data, _ completion: @escaping (Result<InAppReceipt, PurchaseError>) -> Void) {
        validator.validate(data) { completion($0.mapError { .receipt($0) }) }
    }

    // MARK: Requests

    private func send(_ request: SKRequest, _ completion: @escaping (Result<[SKProduct], PurchaseError>) -> Void) {
        lock.withLock { requests[request] = completion }
        request.delegate = self
        request.start()
    }

    private func end(_ request: SKRequest, _ answer: Result<[SKProduct], PurchaseError>) {
        lock.withLock { requests.removeValue(forKey: request) }?(answer)
    }
}

extension PurchaseService: SKProductsRequestDelegate {
    /// Keeps what the store sells.
    public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        let unknown = response.invalidProductIdentifiers
        end(request, unknown.isEmpty ? .success(response.products) : .failure(.unknownProducts(unknown)))
    }

    /// The store has answered.
    public func requestDidFinish(_ request: SKRequest) { end(request, .success([])) }

    /// The store could not be asked.
    public func request(_ request: SKRequest, didFailWithError error: Error) { end(request, .failure(.store(error))) }
}

extension PurchaseService: SKPaymentTransactionObserver {
    /// Purchases have moved on.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: validate(transaction)
            case .restored: lock.withLock { restored.append(transaction) }
            case .deferred: end(transaction, .failure(.waitingForApproval))
            case .failed:
                queue.finishTransaction(transaction)
                end(transaction, .failure(PurchaseError(transaction.error)))
            default: break
            }
        }
    }

    /// What the receipt does not list stays unfinished, and so comes again.
    private func validate(_ transaction: SKPaymentTransaction) {
        receipt { [self] answer in
            end(
                transaction,
                answer.flatMap { receipt in
                    let listed = receipt.items.map(\.transactionIdentifier)
                    guard let identifier = transaction.transactionIdentifier, listed.contains(identifier) else {
                        return .failure(.notInReceipt)
                    }
                    queue.finishTransaction(transaction)
                    return .success(Purchase(transaction))
                }
            )
        }
    }

    private func end(_ transaction: SKPaymentTransaction, _ result: Result<Purchase, PurchaseError>) {
        let product = transaction.payment.productIdentifier
        let completion = lock.withLock { () -> Completion? in
            guard let first = purchases[product]?.first else { return onUpdate }
            purchases[product]?.removeFirst()
            return first
        }
        completion?(result)
    }

    /// Nothing more is restored.
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        receipt { [self] answer in
            endRestoring { transactions in
                answer.map { receipt in
                    let owned = receipt.products(at: Date())
                    for transaction in transactions { queue.finishTransaction(transaction) }
                    return transactions.map { Purchase($0) }.filter { owned.contains($0.productIdentifier) }
                }
            }
        }
    }

    /// Restoring went wrong.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        restoreCompletedTransactionsFailedWithError error: Error
    ) {
        endRestoring { _ in .failure(PurchaseError(error)) }
    }

    private func endRestoring(_ result: ([SKPaymentTransaction]) -> Result<[Purchase], PurchaseError>) {
        let (transactions, completion) = lock.withLock {
            defer { (restored, restoring) = ([], nil) }
            return (restored, restoring)
        }
        completion?(result(transactions))
    }
}
