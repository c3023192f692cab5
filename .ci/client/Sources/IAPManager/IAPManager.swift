import StoreKit

/// The game's purchases: one object for the whole app, which observes the queue from launch to exit.
public final class IAPManager: NSObject {
    /// The one that the app uses.
    public static let shared = IAPManager()

    /// Hears of everything, on the main thread.
    public weak var delegate: IAPManagerDelegate?
    /// What can be shown to the user, dearest first.
    public private(set) var products: [SKProduct] = []
    /// What the store does not sell at the moment.
    public private(set) var missingProducts: [String] = []

    private let queue: SKPaymentQueue
    private let defaults: UserDefaults
    private var request: SKProductsRequest?

    /// Tests use a queue and defaults of their own.
    public init(queue: SKPaymentQueue = .default(), defaults: UserDefaults = .standard) {
        self.queue = queue
        self.defaults = defaults
    }

    /// Called when the app has launched.
    public func start() { queue.add(self) }

    /// Called when the app terminates.
    public func stop() { queue.remove(self) }

    // MARK: The shop

    /// Whether to show a shop at all.
    public var canBuy: Bool { SKPaymentQueue.canMakePayments() }

    /// Asks the store for what the app sells.
    public func loadProducts() {
        request?.cancel()
        let request = SKProductsRequest(productIdentifiers: ProductList.shipped.all)
        request.delegate = self
        request.start()
        self.request = request
    }

    /// A price as the user's country writes it.
    public func price(of product: SKProduct) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = product.priceLocale
        return formatter.string(from: product.price) ?? "\(product.price)"
    }

    /// Buys a product, or several of one.
    public func buy(_ product: SKProduct, quantity: Int = 1) {
        let payment = SKMutablePayment(product: product)
        payment.quantity = quantity
        queue.add(payment)
    }

    /// Brings back what was bought on another device.
    public func restore() { queue.restoreCompletedTransactions() }

    // MARK: What the user has

    /// Whether something that is bought once is there.
    public func isUnlocked(_ productIdentifier: String) -> Bool { defaults.bool(forKey: productIdentifier) }

    /// How many of something that is used up are left.
    public func count(of productIdentifier: String) -> Int { defaults.integer(forKey: productIdentifier) }

    /// What was bought on this device, for the user's questions to support.
    public var recordedTransactions: [String] { defaults.stringArray(forKey: Self.recordKey) ?? [] }

    private static let recordKey = "IAPManager.transactions"

    /// False if it had been recorded before.
    private func record(_ transaction: SKPaymentTransaction) -> Bool {
        let identifier = transaction.transactionIdentifier ?? ""
        guard !recordedTransactions.contains(identifier) else { return false }
        defaults.set(recordedTransactions + [identifier], forKey: Self.recordKey)
        return true
    }

    private func provide(_ payment: SKPayment) {
        let product = payment.productIdentifier
        if ProductList.shipped.usedUp.contains(product) {
            defaults.set(count(of: product) + payment.quantity, forKey: product)
        } else {
            defaults.set(true, forKey: product)
        }
        delegate?.iapManager(self, didProvide: product)
    }
}

extension IAPManager: SKProductsRequestDelegate {
    /// Keeps what the store sells.
    public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        products = response.products.sorted { $0.price.compare($1.price) == .orderedDescending }
        missingProducts = response.invalidProductIdentifiers
    }

    /// The store has answered.
    public func requestDidFinish(_ request: SKRequest) {
        self.request = nil
        delegate?.iapManagerDidLoadProducts(self)
    }

    /// The store could not be asked.
    public func request(_ request: SKRequest, didFailWithError error: Error) {
        self.request = nil
        delegate?.iapManager(self, didFailToLoadProducts: error)
    }
}

extension IAPManager: SKPaymentTransactionObserver {
    /// Purchases have moved on.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: complete(transaction)
            case .failed: fail(transaction)
            case .restored: restore(transaction)
            case .deferred:
                delegate?.iapManager(self, isWaitingForApprovalOf: transaction.payment.productIdentifier)
            case .purchasing: break
            @unknown default: break
            }
        }
    }

    private func complete(_ transaction: SKPaymentTransaction) {
        if record(transaction) { provide(transaction.payment) }
        queue.finishTransaction(transaction)
    }

    private func restore(_ transaction: SKPaymentTransaction) {
        if let original = transaction.original { provide(original.payment) }
        queue.finishTransaction(transaction)
    }

    private func fail(_ transaction: SKPaymentTransaction) {
        let error = transaction.error ?? SKError(.unknown)
        // The user knows that they have cancelled.
        if (error as? SKError)?.code != .paymentCancelled {
            delegate?.iapManager(self, didFailToBuy: transaction.payment.productIdentifier, error: error)
        }
        queue.finishTransaction(transaction)
    }

    /// Nothing more is restored.
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        delegate?.iapManagerDidRestore(self)
    }

    /// Restoring went wrong.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        restoreCompletedTransactionsFailedWithError error: Error
    ) {
        delegate?.iapManager(self, didFailToRestore: error)
    }

    /// Purchases were paid back.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        for product in productIdentifiers {
            defaults.removeObject(forKey: product)
            delegate?.iapManager(self, didLock: product)
        }
    }
}
