import Foundation
import Synchronization

/// One request for payment in the queue, and what has become of it.
///
/// The queue makes one for each payment that is added, and changes it just before the callback that says so; what the
/// store brings by itself, a renewal or a restored purchase, has its state from the start. A test may make its own, in
/// any state. Any thread may read it.
///
/// What Store Kit leaves undefined in a state is nil here.
// unchecked: what changes is written once, before `mark` says that it may be read; what only initializers write is
// constant afterwards, and the rest is guarded.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {
    /// Under which number the driver knows it.
    private(set) final var number = 0
    /// What it belongs to, nil for one made by a test.
    private(set) final var driver: QueueDriver?
    private final var paymentValue: StorePayment?
    private let mark = Atomic<UInt8>(0)
    private let finishedMark = Atomic<Bool>(false)
    private final var identifier = ""
    private final var date = Date.distantPast
    /// As the store sent it, where it carries more than most do.
    ///
    /// Its details may lie far from everything else, and be many: a reference to them is not counted until one is read.
    private final var sent: StoreTransaction?
    private final var details: StoreTransaction.Details? { sent?.details }
    private let paymentObject = LazyReference<SKPayment>()
    private let originalObject = LazyReference<SKPaymentTransaction>()
    private let changes = KeyedChanges()

    /// A transaction that belongs to no queue: purchasing, for an empty payment.
    public override init() { super.init() }

    /// A transaction in any state, for tests.
    ///
    /// It belongs to no queue.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - payment: what was ordered.
    ///   - transactionState: what has become of it.
    ///   - transactionIdentifier: the store's name for it.
    ///   - transactionDate: when it joined the store's queue.
    ///   - error: why it failed.
    ///   - original: what it restores.
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

    /// What the store brought, as it is.
    ///
    /// A restored transaction finds its payment with its original.
    convenience init(number: Int, _ transaction: StoreTransaction, driver: QueueDriver) {
        self.init()
        self.number = number
        self.driver = driver
        if transaction.ownPayment != nil, transaction.state != .restored || transaction.original == nil {
            paymentValue = transaction.ownPayment
        }
        apply(transaction)
    }

    /// The transaction behind a restored one.
    private convenience init(original: StoreTransaction.Original, driver: QueueDriver?) {
        self.init(number: 0, payment: original.payment, driver: driver)
        identifier = original.identifier
        date = original.date
        mark.store(StoreTransaction.State.purchased.rawValue, ordering: .releasing)
    }

    /// What has become of the payment so far.
    open var transactionState: SKPaymentTransactionState {
        changes.value("transactionState", else: nil)
            ?? SKPaymentTransactionState(rawValue: Int(mark.load(ordering: .acquiring)))!
    }

    /// A copy of the payment that was added; of the original's for a restored transaction.
    open var payment: SKPayment {
        changes.value("payment", else: paymentObject.load() ?? paymentObject.storeIfNil(SKPayment(ordered)))
    }

    /// The store's name for a purchased or restored transaction, unique among all; nil in other states.
    open var transactionIdentifier: String? {
        changes.value("transactionIdentifier", else: hasJoinedStore ? identifier : nil)
    }

    /// When a purchased or restored transaction joined the store's queue; nil in other states.
    open var transactionDate: Date? { changes.value("transactionDate", else: hasJoinedStore ? date : nil) }

    /// Why a transaction failed, an ``SKError`` or a `URLError`; nil in other states.
    open var error: (any Error)? { changes.value("error", else: hasFailed ? details?.failure?.error : nil) }

    /// The earlier transaction that a restored one brings back, or that a renewal follows; nil where there is none.
    open var original: SKPaymentTransaction? {
        changes.value("original", else: originalMade)
    }

    /// The signed receipt of a purchased or restored transaction, made when it is read.
    ///
    /// Nil in other states, and where the store makes none.
    open var transactionReceipt: Data? { changes.value("transactionReceipt", else: hasJoinedStore ? receipt : nil) }

    /// What the store hosts for a purchased or restored product, the same objects each time; empty where it hosts nothing,
    /// in other states, and once the transaction is finished.
    open var downloads: [SKDownload] { changes.value("downloads", else: hosted) }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Changes a property by its name, for tests that prepare objects that way.
        ///
        /// A name that is not a property's, or a value of another type, stops the process.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// A property by its name.
        ///
        /// A name that is not a property's stops the process.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif

    /// Takes a state that somebody else than a store gives, which may be one without a case.
    private final func take(_ state: SKPaymentTransactionState) {
        let isKnown = state.name != nil
        changes.set("transactionState", to: isKnown ? nil : Optional(state))
        mark.store(isKnown ? UInt8(state.rawValue) : .max, ordering: .releasing)
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

    private final var receipt: Data? { details?.receipt ?? driver?.backend.receipt(forTransaction: identifier) }

    /// What was ordered; a restored transaction carries its original's payment, unless it came with one of its own.
    private final var ordered: StorePayment { paymentValue ?? details?.original?.payment ?? .empty }

    private final var hasFailed: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.failed.rawValue }

    private final var hasJoinedStore: Bool {
        let state = mark.load(ordering: .acquiring)
        return state == StoreTransaction.State.purchased.rawValue || state == StoreTransaction.State.restored.rawValue
    }
}

// MARK: - For the notifier

extension SKPaymentTransaction {
    /// Observers have not been told of an outcome.
    final var isPurchasing: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.purchasing.rawValue }

    final var isDeferred: Bool { mark.load(ordering: .acquiring) == StoreTransaction.State.deferred.rawValue }

    final var isFinished: Bool { finishedMark.load(ordering: .acquiring) }

    final func markFinished() { finishedMark.store(true, ordering: .releasing) }

    /// Becomes what the store says.
    ///
    /// What is decided stays; the details are in place before the state shows them.
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

extension SKPaymentTransaction: KeyValueCoded {
    private static let original = KeyedProperty<SKPaymentTransaction>(
        \.original,
        KeyedKind<SKPaymentTransaction>.cast("an SKPaymentTransaction").optional
    ) { $0.changes.set("original", to: $1) }

    private static let keys: [String: KeyedProperty<SKPaymentTransaction>] = [
        "transactionState": KeyedProperty(\.transactionState, .cases) { $0.take($1) },
        "payment": KeyedProperty(\.payment, KeyedKind<SKPayment>.cast("an SKPayment")) {
            $0.changes.set("payment", to: $1)
        },
        "transactionIdentifier": KeyedProperty(\.transactionIdentifier, KeyedKind<String>.text.optional) {
            $0.changes.set("transactionIdentifier", to: $1)
        },
        "transactionDate": KeyedProperty(\.transactionDate, KeyedKind<Date>.cast("a Date").optional) {
            $0.changes.set("transactionDate", to: $1)
        },
        "error": KeyedProperty(\.error, KeyedKind<any Error>.cast("an Error").optional) {
            $0.changes.set("error", to: $1)
        },
        "original": original,
        "originalTransaction": original,
        "transactionReceipt": KeyedProperty(\.transactionReceipt, KeyedKind<Data>.cast("a Data").optional) {
            $0.changes.set("transactionReceipt", to: $1)
        },
        "downloads": KeyedProperty(\.downloads, KeyedKind<[SKDownload]>.cast("an array of SKDownload")) {
            $0.changes.set("downloads", to: $1)
        },
    ]
}
