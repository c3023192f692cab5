import StoreKit

// Compiles, and so shows that what a client may write about queues and transactions compiles.

class ClientQueue: SKPaymentQueue, @unchecked Sendable {
    var added: [SKPayment] = []
    override init() { super.init() }
    override class func `default`() -> Self {
        guard let queue = ClientQueue() as? Self else { fatalError("not a ClientQueue") }
        return queue
    }
    override class func canMakePayments() -> Bool { false }
    override func add(_ payment: SKPayment) { added.append(payment) }
    override func add(_ observer: SKPaymentTransactionObserver) { super.add(observer) }
    override func remove(_ observer: any SKPaymentTransactionObserver) { super.remove(observer) }
    override func finishTransaction(_ transaction: SKPaymentTransaction) {}
    override func restoreCompletedTransactions() {}
    override func restoreCompletedTransactions(withApplicationUsername username: String?) {}
    override func start(_ downloads: [SKDownload]) {}
    override func pause(_ downloads: [SKDownload]) {}
    override func resume(_ downloads: [SKDownload]) {}
    override func cancel(_ downloads: [SKDownload]) {}
    override var transactions: [SKPaymentTransaction] { [] }
    override var transactionObservers: [any SKPaymentTransactionObserver] { [] }
    override var storefront: SKStorefront? { nil }
    override var delegate: SKPaymentQueueDelegate? {
        get { nil }
        set {}
    }
    override func presentCodeRedemptionSheet() {}
    override func showPriceConsentIfNeeded() {}
}

class ClientTransaction: SKPaymentTransaction, @unchecked Sendable {
    private let id: String
    init(id: String) {
        self.id = id
        super.init()
    }
    override init() {
        id = ""
        super.init()
    }
    override var payment: SKPayment { SKPayment() }
    override var transactionState: SKPaymentTransactionState { .purchased }
    override var transactionIdentifier: String? { id }
    override var transactionDate: Date? { Date() }
    override var transactionReceipt: Data? { nil }
    override var original: SKPaymentTransaction? { nil }
    override var error: Error? { SKError(.unknown) }
    override var downloads: [SKDownload] { [] }
}

// A queue behind a protocol of the app's, so that a test can put another in its place.
protocol MyQueueProtocol: AnyObject {
    var delegate: SKPaymentQueueDelegate? { get set }
    var transactions: [SKPaymentTransaction] { get }
    var transactionObservers: [SKPaymentTransactionObserver] { get }
    var storefront: SKStorefront? { get }
    func add(_ payment: SKPayment)
    func add(_ observer: SKPaymentTransactionObserver)
    func remove(_ observer: SKPaymentTransactionObserver)
    func finishTransaction(_ transaction: SKPaymentTransaction)
    func restoreCompletedTransactions()
    func restoreCompletedTransactions(withApplicationUsername username: String?)
    func start(_ downloads: [SKDownload])
    static func canMakePayments() -> Bool
}
extension SKPaymentQueue: MyQueueProtocol {}

protocol MyTransactionProtocol {
    var transactionIdentifier: String? { get }
    var transactionState: SKPaymentTransactionState { get }
    var error: Error? { get }
    var original: SKPaymentTransaction? { get }
}
extension SKPaymentTransaction: MyTransactionProtocol {}

// Conforms with the one method that is required.
final class SmallObserver: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored, .failed: queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }
}

final class FullObserver: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error) {}
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {}
    func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool { true }
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}
    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}

@MainActor
final class ScreenObserver: NSObject, @preconcurrency SKPaymentTransactionObserver {
    var seen = 0
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        seen += transactions.count
    }
    nonisolated func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
}

final class NoOpinion: NSObject, SKPaymentQueueDelegate {}

final class Opinions: NSObject, SKPaymentQueueDelegate {
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { newStorefront.countryCode == "USA" }
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { false }
}

func useQueues(_ product: SKProduct, _ observer: SmallObserver, _ delegate: Opinions) {
    guard SKPaymentQueue.canMakePayments() else { return }
    let queue = SKPaymentQueue.default()
    let _: SKPaymentQueue = SKPaymentQueue()
    queue.delegate = delegate
    queue.add(observer)
    queue.add(SKPayment(product: product))
    queue.restoreCompletedTransactions()
    queue.restoreCompletedTransactions(withApplicationUsername: nil)
    queue.presentCodeRedemptionSheet()
    queue.showPriceConsentIfNeeded()
    let _: SKStorefront? = queue.storefront
    let _: [SKPaymentTransactionObserver] = queue.transactionObservers
    for transaction in queue.transactions where transaction.transactionState == .purchased {
        let _: (String?, Date?, Data?) = (
            transaction.transactionIdentifier, transaction.transactionDate, transaction.transactionReceipt
        )
        let _: (SKPayment, SKPaymentTransaction?) = (transaction.payment, transaction.original)
        let _: [SKDownload] = transaction.downloads
        queue.finishTransaction(transaction)
    }
    queue.remove(observer)
    let one = ClientTransaction(id: "1")
    let _: Set<SKPaymentTransaction> = [one, SKPaymentTransaction()]
    let _: Bool = one == SKPaymentTransaction()
    let _: any Sendable = one
    let _: any Sendable = queue
}

func followStorefront() -> any NSObjectProtocol {
    let center = NotificationCenter.default
    let name: NSNotification.Name = .SKStorefrontCountryCodeDidChange
    _ = center.addObserver(forName: name, object: nil, queue: .main) { print($0.name) }
    return center.addObserver(forName: Notification.Name.SKStorefrontCountryCodeDidChange, object: nil, queue: nil) {
        _ in print(SKPaymentQueue.default().storefront?.countryCode as Any)
    }
}
