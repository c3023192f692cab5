import Foundation

// Stand-ins for the queue, the transaction and the requests, with their surface and none of their work.

/// A payment on its way through the store.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {  // unchecked: an open class without state
    /// A transaction without content.
    public override init() { super.init() }
    /// What was asked for.
    open var payment: SKPayment { SKPayment() }
    /// What has become of it.
    open var transactionState: SKPaymentTransactionState { .purchasing }
    /// Its identifier.
    open var transactionIdentifier: String? { nil }
    /// When it joined the store's queue.
    open var transactionDate: Date? { nil }
    /// Its receipt.
    open var transactionReceipt: Data? { nil }
    /// The earlier transaction.
    open var original: SKPaymentTransaction? { nil }
    /// Why it failed.
    open var error: (any Error)? { nil }
    /// What the store hosts for it.
    open var downloads: [SKDownload] { [] }
}

/// Buys.
open class SKPaymentQueue: NSObject, @unchecked Sendable {  // unchecked: an open class without state
    private static let shared = SKPaymentQueue()
    /// A queue.
    public override init() { super.init() }
    /// The queue that apps use.
    open class func `default`() -> Self {
        guard let queue = shared as? Self else { fatalError("\(Self.self) must override default()") }
        return queue
    }
    /// Whether the user may pay.
    open class func canMakePayments() -> Bool { true }
    /// Adds a payment.
    open func add(_ payment: SKPayment) {}
    /// Adds an observer.
    open func add(_ observer: any SKPaymentTransactionObserver) {}
    /// Removes an observer.
    open func remove(_ observer: any SKPaymentTransactionObserver) {}
    /// Finishes a transaction.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {}
    /// Restores.
    open func restoreCompletedTransactions() {}
    /// Restores.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {}
    /// Starts downloads.
    open func start(_ downloads: [SKDownload]) {}
    /// Pauses downloads.
    open func pause(_ downloads: [SKDownload]) {}
    /// Resumes downloads.
    open func resume(_ downloads: [SKDownload]) {}
    /// Cancels downloads.
    open func cancel(_ downloads: [SKDownload]) {}
    /// What is not finished.
    open var transactions: [SKPaymentTransaction] { [] }
    /// The observers.
    open var transactionObservers: [any SKPaymentTransactionObserver] { [] }
    /// The storefront.
    open var storefront: SKStorefront? { nil }
    /// The delegate.
    open weak var delegate: (any SKPaymentQueueDelegate)?
    /// Shows the sheet.
    open func presentCodeRedemptionSheet() {}
    /// Shows the price consent.
    open func showPriceConsentIfNeeded() {}
}

/// A question to the store.
open class SKRequest: NSObject {
    /// Where the delegate is kept, whatever its type.
    final weak var target: (any SKRequestDelegate)?

    /// A request.
    public override init() { super.init() }

    /// Who hears how the request ended.
    open var delegate: (any SKRequestDelegate)? {
        get { narrowedDelegate }
        set { narrowedDelegate = newValue }
    }

    /// Leads a caller who knows only `SKRequest` to the property that a subclass declares with a narrower type.
    var narrowedDelegate: (any SKRequestDelegate)? {
        get { target }
        set { target = newValue }
    }

    /// Starts it.
    open func start() {}
    /// Cancels it.
    open func cancel() {}
}

/// Looks products up.
open class SKProductsRequest: SKRequest {
    /// A request for nothing.
    public override init() { super.init() }
    /// A request.
    public init(productIdentifiers: Set<String>) { super.init() }

    /// Who receives what was found.
    // Not an override: a subclass cannot narrow a property's type, but it can declare another of the same name.
    @_nonoverride open var delegate: (any SKProductsRequestDelegate)? {
        get { target as? any SKProductsRequestDelegate }
        set { target = newValue }
    }

    override var narrowedDelegate: (any SKRequestDelegate)? {
        get { delegate ?? target }
        set {
            if let narrow = newValue as? any SKProductsRequestDelegate {
                delegate = narrow
            } else {
                delegate = nil
                target = newValue
            }
        }
    }
}

/// Brings the receipt up to date.
open class SKReceiptRefreshRequest: SKRequest {
    /// A request.
    public override init() { super.init() }
    /// A request.
    public init(receiptProperties properties: [String: Any]?) { super.init() }
    /// The properties.
    open var receiptProperties: [String: Any]? { nil }
}
