import Foundation

/// The interface that a store implements so that a payment queue can sell from it.
///
/// A store answers at least once and the queue acts exactly once. The rules that make this work:
///
/// * A command is accepted once. ``submit(_:reply:)`` may hand over the same command again, after a lost answer or a
///   relaunch; its ``OrderID`` is the idempotency key (see there: one remembered number a journal is enough).
/// * The outcome of a command, a refusal included, comes with the updates. The store keeps a transaction until it is
///   finished: a queue that connects without a cursor receives it again.
/// * Updates to one receiver come one batch at a time, in order, as a chain (see ``UpdateBatch``). They may be
///   repeated.
/// * Once a `finish` has been acknowledged, no snapshot that is begun afterwards shows the transaction.
///
/// Every requirement may be called on any thread. Write a network client as an ``AsyncStoreBackend`` instead and wrap
/// it: ``AsyncStoreBackend/asStoreBackend()``.
public protocol StoreBackend: AnyObject, Sendable {
    /// The clock that this store goes by. Queues take their pauses from it.
    ///
    /// Default: the system's.
    var clock: any StoreClock { get }

    /// The thread on which the queue calls ``submit(_:reply:)``, ``connect(_:after:)`` and ``disconnect(_:)``.
    ///
    /// A queue that is relaunched, released or given another store calls ``disconnect(_:)`` on whichever thread does
    /// that.
    ///
    /// Default: ``BackendLane/background``.
    var lane: BackendLane { get }

    /// Whether the user of this device may pay. Read whenever the app asks, on its thread; must not block.
    ///
    /// Default: true.
    var canMakePayments: Bool { get }

    /// The country that the store sells for on this device, nil when unknown. May block.
    ///
    /// Default: nil.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when a ``StoreUpdate/storefront(_:)`` came.
    ///
    /// The queue asks its delegate once about each undecided transaction in the store, in order among the callbacks;
    /// without a delegate the answer is yes. A store that waits for the decision should give up after about a second
    /// and let the transaction fail with `storeProductNotAvailable`. Called on the thread that makes callbacks; must
    /// not block.
    ///
    /// Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool)

    /// Whether the store wants to ask the user of this device to agree to a higher price. Must not block.
    ///
    /// Read when a queue's first observer is added, and when the app comes to the front; the queue's delegate is asked
    /// then whether it may. Default: false.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now. Called where ``isPriceConsentPending`` is true and the app agrees; must not block.
    ///
    /// Default: does nothing.
    func showPriceConsent()

    /// Accepts commands.
    ///
    /// A queue has one submission under way: it sends the next, with all that was added meanwhile, after the reply. On
    /// ``SubmissionReply/tryLater(_:)`` it retries the same commands (perhaps more) with growing backoff.
    ///
    /// - Parameters:
    ///   - commands: at least one, in the order of their numbers, which is the order in which they take effect.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. A store
    ///     that replies before it returns saves the queue from writing the commands to its journal.
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void)

    /// Begins to send updates to a receiver, until ``disconnect(_:)``.
    ///
    /// Without a cursor, the store first sends a snapshot: the unfinished transactions on this device, failed ones
    /// included, oldest first, in any number of batches. The first batch has no `after`, and the last one ends behind
    /// the snapshot. Then it sends changes. With a cursor, it sends only later changes. A store that no longer knows
    /// that place starts again with a snapshot; it may always do so for a cursor within a snapshot.
    ///
    /// Connecting a connected receiver restarts it from the given cursor. Updates may be sent before this returns.
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?)

    /// Stops sending updates to a receiver. A batch that is under way on another thread may still arrive.
    func disconnect(_ receiver: any StoreUpdateReceiver)

    /// Confirms that the queue has told its observers every update up to a cursor.
    ///
    /// Updates other than transactions (a revocation, a promoted purchase) need not be sent again after it.
    ///
    /// Default: does nothing.
    func acknowledge(through cursor: UpdateCursor)

    /// Looks up products.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers that the app asks for; any string may be among them.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing.
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    )

    /// The app's changes, on this device, to how the store promotes products; nil where the store keeps no such
    /// changes, which are then kept in memory. Must not block.
    ///
    /// Default: nil.
    var promotionOverrides: PromotionOverrides? { get }

    /// Changes how the store promotes products on this device. Called only where ``promotionOverrides`` is not nil.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - change: the change that the app wants.
    ///   - reply: to be called once, with nil on success.
    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Whether an identifier is sold here, nil when that is not known at once. Must not block.
    ///
    /// Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// The signed receipt of a purchased or restored transaction, made when it is read. Must be quick.
    ///
    /// Default: nil. A store that sends ``StoreTransaction/receipt`` along is not asked.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, signed; nil where there is none. Made when it is read. Must be quick.
    ///
    /// Default: nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - properties: the properties that a sandbox's receipt should have.
    ///   - reply: to be called once, with nil when the receipt is fresh.
    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Sends a range of bytes of a hosted file.
    ///
    /// A queue requests one piece of a file at a time, and the next when it has written the last one. A download that
    /// was paused or failed resumes where it stopped, however long ago that was. The bytes of one version never change;
    /// a version that is no longer hosted is refused.
    ///
    /// Default: refuses, with the code `unknown`. A store that hosts nothing is not asked.
    ///
    /// - Parameters:
    ///   - request: the range of bytes, and their file.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. At least
    ///     one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``. A failure ends the
    ///     download with this error; the app may start it again.
    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void)

    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A redeemed code leads to an ordinary purchased transaction, which comes with the updates. Called on the app's
    /// thread; must not block.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameter reply: to be called once, when the sheet is closed: with nil if the user redeemed a code or
    ///   canceled, else with the reason why there was no sheet or the code had no effect. The queue logs it.
    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void)
}

/// The thread on which a queue calls its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// The thread on which the app called: for stores that live in the process and never block.
    case caller
    /// A serial queue of the payment queue's own: for stores that may block.
    case background
}

/// A store's answer to a product look-up.
public struct ProductsAnswer: Hashable, Codable, Sendable {
    /// The products for the identifiers that are sold, in the store's order, which ``SKProductsResponse`` keeps.
    public var products: [StoreProduct]
    /// The identifiers that are not sold, in the store's order too.
    public var invalidIdentifiers: [String]
    /// Makes an answer.
    public init(products: [StoreProduct], invalidIdentifiers: [String] = []) {
        self.products = products
        self.invalidIdentifiers = invalidIdentifiers
    }
}

/// The properties that the app wants a sandbox's receipt to have.
public struct ReceiptProperties: Hashable, Codable, Sendable {
    /// Whether it has expired.
    public var isExpired: Bool
    /// Whether it has been revoked.
    public var isRevoked: Bool
    /// Whether it belongs to a volume purchase.
    public var isVolumePurchase: Bool
    /// Makes properties; all are false for an app in production.
    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}

extension StoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// A serial queue of the payment queue's own.
    public var lane: BackendLane { .background }
    /// True: payments are allowed.
    public var canMakePayments: Bool { true }
    /// Nil: unknown.
    public var storefront: StoreStorefront? { nil }
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {}
    /// False: no consent is pending.
    public var isPriceConsentPending: Bool { false }
    /// Does nothing.
    public func showPriceConsent() {}
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) {}
    /// Nil: the store keeps no changes.
    public var promotionOverrides: PromotionOverrides? { nil }
    /// Replies with a failure with the code `unknown`.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store promotes no products"))
    }
    /// Nil: not known at once.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// Nil: no receipt.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: no app receipt.
    public var appReceipt: Data? { nil }
    /// Replies with a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store has no receipt to refresh"))
    }
    /// Replies with a failure with the code `unknown`.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.unknown, "this store hosts nothing to download")))
    }

    /// Replies with a failure with the code `unknown`.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store has no sheet for offer codes"))
    }
}
