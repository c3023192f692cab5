import Foundation
import Synchronization

/// A payment in the queue, with its outcome.
///
/// The queue creates a transaction for each payment that is added, and changes it just before the callback that reports
/// the change. A transaction that the store starts, such as a renewal or a restored purchase, has its state from the
/// beginning. Tests may create transactions in any state. Any thread may read a transaction.
///
/// A property that Store Kit leaves undefined in a state is nil in that state.
// unchecked: mutable properties are guarded, or are written by an initializer or before `mark` publishes them.
open class SKPaymentTransaction: KeyValueObject, @unchecked Sendable {
    /// The number of the transaction in its driver.
    private(set) final var number = 0
    /// The driver to which the transaction belongs; nil for one created by a test.
    private(set) final var driver: QueueDriver?
    private final var paymentValue: StorePayment?
    private let mark = Atomic<UInt8>(0)
    private let finishedMark = Atomic<Bool>(false)
    /// The driver's number for a finish that the app requests after the store has removed the transaction.
    ///
    /// 0 until the store removes the transaction, then -1 until the app requests the finish.
    private let lateFinish = Atomic<Int>(0)
    private final var identifier = ""
    private final var date = Date.distantPast
    /// The transaction as the store has sent it; nil unless it has details.
    ///
    /// The whole transaction is stored, rather than its details: retaining the details would access distant memory.
    private final var sent: StoreTransaction?
    private final var details: StoreTransaction.Details? { sent?.details }
    private let paymentObject = LazyReference<SKPayment>()
    private let originalObject = LazyReference<SKPaymentTransaction>()
    private let changes = KeyedChanges()

    /// Creates a transaction that belongs to no queue, in the state `purchasing` and with an empty payment.
    public override init() { super.init() }

    /// Creates a transaction in any state, for tests.
    ///
    /// It belongs to no queue. Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - payment: the payment, as if it had been added to a queue.
    ///   - transactionState: the state of the transaction.
    ///   - transactionIdentifier: the store's identifier of the transaction.
    ///   - transactionDate: the date when the transaction was added to the store's queue.
    ///   - error: the reason for a failure.
    ///   - original: the transaction that this one restores.
    ///   - transactionReceipt: the signed receipt.
    public convenience init(
        payment: SKPayment,
        transactionState: SKPaymentTransactionState = .purchasing,
        transactionIdentifier: String? = nil,
        transactionDate: Date? = nil,
        error: (any Error)? = nil,
        original: SKPaymentTransaction? = nil,
        transactionReceipt: Data? = nil
    ) {
        self.init()
        paymentValue = payment.value
        take(transactionState)
        changes.set("transactionIdentifier", to: transactionIdentifier)
        changes.set("transactionDate", to: transactionDate)
        changes.set("error", to: error)
        changes.set("original", to: original)
        changes.set("transactionReceipt", to: transactionReceipt)
    }

    convenience init(number: Int, payment: StorePayment, driver: QueueDriver?) {
        self.init()
        self.number = number
        self.driver = driver
        paymentValue = payment
    }

    /// Creates a transaction from one that the store has sent.
    ///
    /// A restored transaction has the payment of its original.
    convenience init(number: Int, _ transaction: StoreTransaction, driver: QueueDriver) {
        self.init()
        self.number = number
        self.driver = driver
        if transaction.ownPayment != nil, transaction.state != .restored || transaction.original == nil {
            paymentValue = transaction.ownPayment
        }
        apply(transaction)
    }

    /// Creates the object for the original of a restored transaction.
    private convenience init(original: StoreTransaction.Original, driver: QueueDriver?) {
        self.init(number: 0, payment: original.payment, driver: driver)
        identifier = original.identifier
        date = original.date
        mark.store(StoreTransaction.State.purchased.rawValue, ordering: .releasing)
    }

    /// The state of the transaction.
    open var transactionState: SKPaymentTransactionState {
        // A `switch`, since the initializer from a raw value compares it with each case in turn.
        switch mark.load(ordering: .acquiring) {
        case 0: .purchasing
        case 1: .purchased
        case 2: .failed
        case 3: .restored
        default: .deferred
        }
    }

    /// A copy of the payment that was added; for a restored transaction, of the original's payment.
    ///
    /// An app that adds it to the queue again buys without the offer code that the transaction redeemed.
    open var payment: SKPayment {
        changes.value("payment", else: paymentObject.load() ?? paymentObject.storeIfNil(SKPayment(ordered.withoutCode)))
    }

    /// The store's unique identifier for a purchased or restored transaction; nil in other states.
    ///
    /// If the store satisfied the payment with a transaction that the account already had, for example because a
    /// running subscription was bought again, this is that transaction's identifier, which the app may have seen
    /// before.
    open var transactionIdentifier: String? {
        changes.value("transactionIdentifier", else: hasJoinedStore ? heldIdentifier ?? identifier : nil)
    }

    /// The date when a purchased or restored transaction was added to the store's queue; nil in other states.
    open var transactionDate: Date? { changes.value("transactionDate", else: hasJoinedStore ? date : nil) }

    /// The reason for a transaction's failure, an ``SKError`` or a `URLError`; nil in other states.
    open var error: (any Error)? { changes.value("error", else: storeFailure?.error) }

    /// The purchase that this transaction restores or, for a renewal, with which the subscription began; nil for any
    /// other transaction.
    open var original: SKPaymentTransaction? {
        changes.value("original", else: originalMade)
    }

    /// The signed receipt of a purchased or restored transaction.
    ///
    /// Nil in other states, and if the store does not issue receipts. If the store has not sent the receipt with the
    /// transaction, each access requests it from the store. A ``SandboxStore`` creates it only until the transaction is
    /// finished.
    open var transactionReceipt: Data? { changes.value("transactionReceipt", else: hasJoinedStore ? receipt : nil) }

    /// The downloads of a purchased or restored product's hosted content; the same objects each time.
    ///
    /// Empty if the product has no such content, in other states, and once the transaction is finished.
    open var downloads: [SKDownload] { changes.value("downloads", else: hosted) }

    override class var properties: [String: KeyedProperty] { keys }

    /// Sets a state that no store has reported.
    private final func take(_ state: SKPaymentTransactionState) {
        mark.store(UInt8(state.rawValue), ordering: .releasing)
    }

    private final var originalMade: SKPaymentTransaction? {
        guard hasJoinedStore, let original = details?.original else { return nil }
        return originalObject.load()
            ?? originalObject.storeIfNil(SKPaymentTransaction(original: original, driver: driver))
    }

    private final var hosted: [SKDownload] {
        guard hasJoinedStore, let driver, let content = details?.content, !content.isEmpty else { return [] }
        return downloads(of: content, in: driver)
    }

    private final var receipt: Data? {
        details?.receipt ?? driver?.backend.services.receipts?.receipt(forTransaction: identifier)
    }

    /// The payment of this transaction; for a restored transaction that has none, the payment of its original.
    final var ordered: StorePayment { paymentValue ?? details?.original?.payment ?? .empty }

    final var knownIdentifier: String? { hasJoinedStore ? identifier : nil }

    /// The identifier of an existing transaction of the account that satisfied the payment; nil if a product was sold.
    final var heldIdentifier: String? { hasJoinedStore ? details?.held : nil }

    /// The store's reason for the failure, of which the app's error has only a part.
    final var storeFailure: StoreFailure? { hasFailed ? details?.failure : nil }

    private final var hasFailed: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.failed.rawValue }

    private final var hasJoinedStore: Bool {
        let state = mark.load(ordering: .acquiring)
        return state == StoreTransaction.State.purchased.rawValue || state == StoreTransaction.State.restored.rawValue
    }
}

// MARK: - For the notifier

extension SKPaymentTransaction {
    /// Whether observers have been notified of neither an outcome nor a deferral.
    final var isPurchasing: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.purchasing.rawValue }

    final var isDeferred: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.deferred.rawValue }

    package final var isFinished: Bool { finishedMark.load(ordering: .acquiring) }

    final func markFinished() { finishedMark.store(true, ordering: .releasing) }

    /// Records that the transaction was removed from the list.
    ///
    /// Returns true if the store has removed the transaction, false if the app had finished it before.
    final func markRemoved() -> Bool {
        if isFinished { return false }
        lateFinish.store(-1, ordering: .relaxed)
        markFinished()
        return true
    }

    /// Finishes a transaction that the store has removed, for example because its user signed out.
    ///
    /// Only the first call has an effect. Does nothing for any other transaction.
    final func finishLate() { if lateFinish.load(ordering: .relaxed) < 0 { finishRemoved() } }

    @inline(never)
    private final func finishRemoved() {
        guard !identifier.isEmpty, let driver else { return }
        guard lateFinish.exchange(0, ordering: .relaxed) < 0 else { return }
        lateFinish.store(driver.finishUnseen(identifier), ordering: .relaxed)
    }

    /// The number under which the driver reports the removal of the transaction.
    final var removalNumber: Int {
        let lateFinish = lateFinish.load(ordering: .relaxed)
        return lateFinish > 0 ? lateFinish : number
    }

    /// Applies a change that the store has reported.
    ///
    /// A transaction in a final state does not become deferred again. The details are set before the state.
    final func apply(_ change: StoreTransaction) {
        if change.state == .deferred {
            _ = mark.compareExchange(expected: 0, desired: change.state.rawValue, ordering: .acquiringAndReleasing)
        } else {
            identifier = change.identifier
            date = change.date
            sent = change.hasDetails ? change : nil
            mark.store(change.state.rawValue, ordering: .releasing)
        }
    }
}

extension SKPaymentTransaction: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("transactionState", \SKPaymentTransaction.transactionState, .cases) { $0.take($1) },
        KeyedProperty("payment", \SKPaymentTransaction.payment, .cast("an SKPayment")),
        KeyedProperty(
            "transactionIdentifier",
            \SKPaymentTransaction.transactionIdentifier,
            KeyedKind<String>.text.optional
        ),
        KeyedProperty(
            "transactionDate",
            \SKPaymentTransaction.transactionDate,
            KeyedKind<Date>.cast("a Date").optional
        ),
        KeyedProperty("error", \SKPaymentTransaction.error, KeyedKind<any Error>.cast("an Error").optional),
        KeyedProperty(
            "original",
            or: "originalTransaction",
            \SKPaymentTransaction.original,
            KeyedKind<SKPaymentTransaction>.cast("an SKPaymentTransaction").optional
        ),
        KeyedProperty(
            "transactionReceipt",
            \SKPaymentTransaction.transactionReceipt,
            KeyedKind<Data>.cast("a Data").optional
        ),
        KeyedProperty("downloads", \SKPaymentTransaction.downloads, .cast("an array of SKDownload"))
    )
}

extension SKPaymentTransaction {
    /// Returns the downloads of this transaction's hosted content; none once the transaction is finished.
    final func downloads(of content: [StoreContent], in driver: QueueDriver) -> [SKDownload] {
        let downloads = driver.downloads
        // Checked after the engine was created: a finish that comes later ends these downloads too.
        guard driver.isOpen(number), let identifier = transactionIdentifier else { return [] }
        let product = payment.productIdentifier
        let objects = downloads.downloads(
            of: number,
            isFinished: { isFinished },
            {
                content.map {
                    ContentRequest(transaction: identifier, productIdentifier: product, content: $0, limit: 1)
                }
            },
            make: { SKDownload($0, of: self, in: downloads) }
        )
        return objects.map(SKDownload.own)
    }
}

extension SKDownload {
    convenience init(_ draft: DownloadEngine.Draft, of transaction: SKPaymentTransaction, in engine: DownloadEngine) {
        self.init(
            transaction: transaction,
            contentIdentifier: draft.content.identifier,
            contentVersion: draft.content.version,
            expectedContentLength: draft.content.length,
            contentURL: draft.file
        )
        details.withLock { $0.source = Source(engine: engine, number: draft.number) }
    }

    /// Casts an object of an engine to a download: an engine has only objects that `downloads` has created.
    static func own(_ download: AnyObject) -> SKDownload { unsafeDowncast(download, to: SKDownload.self) }

    /// Applies a report of the engine to the properties.
    func apply(_ report: DownloadReport) {
        details.withLock { details in
            details.state = SKDownloadState(rawValue: report.state.rawValue)!
            details.progress = report.progress
            details.timeRemaining = report.timeRemaining ?? SKDownloadTimeRemainingUnknown
            details.error = report.failure?.error
        }
    }
}
