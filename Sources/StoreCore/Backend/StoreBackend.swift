import Foundation

/// The socket: what a store has to do so that a payment queue can sell from it.
///
/// A store answers at least once and the queue acts exactly once. The rules that make this work:
///
/// * A command is taken once. ``submit(_:reply:)`` may hand over the same command again, after a lost answer or a
///   relaunch; the store tells by its ``OrderID`` (see there: one remembered number a journal is enough).
/// * What becomes of a command is told through the updates, refusals too. A transaction is the store's to keep until it
///   is finished: whoever connects without a cursor hears of it again.
/// * Updates to one receiver come one batch at a time, in order, as a chain (see ``UpdateBatch``). They may be repeated.
/// * Once a `finish` has been acknowledged, no snapshot that is begun afterwards shows the transaction.
///
/// Every requirement may be called on any thread. Write a network client as an ``AsyncStoreBackend`` instead and wrap
/// it: ``AsyncStoreBackend/asStoreBackend()``.
public protocol StoreBackend: AnyObject, Sendable {
    /// The clock that this store goes by. Queues take their pauses from it.
    ///
    /// Default: the system's.
    var clock: any StoreClock { get }

    /// Where the queue calls ``submit(_:reply:)``, ``connect(_:after:)`` and ``disconnect(_:)``.
    ///
    /// A queue that is relaunched, released or given another store calls ``disconnect(_:)`` on whichever thread that is.
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

    /// What the app says of a purchase that was under way when a ``StoreUpdate/storefront(_:)`` came.
    ///
    /// The queue asks its delegate about each transaction that the store has and that is not decided, once, in its turn
    /// among the callbacks; without a delegate the answer is yes. A store that waits for it should give up after about a
    /// second and let the transaction fail with `storeProductNotAvailable`. Called on the thread that makes callbacks;
    /// must not block.
    ///
    /// Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it goes on in the new storefront.
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

    /// Takes commands in.
    ///
    /// A queue has one submission under way: it sends the next, with all that was added meanwhile, after the reply. On
    /// ``SubmissionReply/tryLater(_:)`` it sends the same commands again (perhaps more), after a pause that grows.
    ///
    /// - Parameters:
    ///   - commands: at least one, in the order of their numbers, which is the order in which they take effect.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. A store
    ///     that replies before it returns saves the queue from writing the commands to its journal.
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void)

    /// Begins to send updates to a receiver, until ``disconnect(_:)``.
    ///
    /// Without a cursor: first what is unfinished on this device, failed transactions included, oldest first, in as many
    /// batches as the store likes, the first of which has no `after` and the last of which ends behind the snapshot;
    /// then what changes. With a cursor: only what changed after it. A store that no longer knows that place begins
    /// anew, with a snapshot; a cursor within a snapshot may always be answered so.
    ///
    /// Connecting a receiver that is connected begins again for it, from the cursor given. Updates may be sent before
    /// this returns.
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?)

    /// Stops sending updates to a receiver. One that is under way on another thread may still arrive.
    func disconnect(_ receiver: any StoreUpdateReceiver)

    /// The queue has told its observers all that came up to here. What is not a transaction (a revocation, a promoted
    /// purchase) need not be told again after it.
    ///
    /// Default: does nothing.
    func acknowledge(through cursor: UpdateCursor)

    /// Looks up products.
    ///
    /// - Parameters:
    ///   - identifiers: what the app asks for; any string may be among them.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing.
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    )

    /// What the app has changed, on this device, in how the store promotes products; nil where the store keeps no such
    /// changes, which are then kept in memory. Must not block.
    ///
    /// Default: nil.
    var promotionOverrides: PromotionOverrides? { get }

    /// Changes how the store promotes products on this device. Asked only where ``promotionOverrides`` is not nil.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - change: what the app wants.
    ///   - reply: to be called once, with nil when it is done.
    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Whether an identifier is sold here, nil when that cannot be said at once. Must not block.
    ///
    /// Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// The signed receipt of a purchased or restored transaction, made when somebody reads it. Must be quick.
    ///
    /// Default: nil. A store that sends ``StoreTransaction/receipt`` along is not asked.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, signed; nil where there is none. Made when somebody reads it. Must be quick.
    ///
    /// Default: nil.
    var appReceipt: Data? { get }

    /// Brings the device's receipt up to date.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - properties: what a sandbox's receipt should say of itself.
    ///   - reply: to be called once, with nil when the receipt is fresh.
    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Sends some bytes of a file that it hosts.
    ///
    /// A queue asks for one piece of a file at a time, and for the next when it has written the last one. A download that
    /// was paused or failed goes on from where it is, however long ago that was. What is sent of one version is always the
    /// same; a version that is not hosted any more is refused.
    ///
    /// Default: refuses, with the code `unknown`. A store that hosts nothing is not asked.
    ///
    /// - Parameters:
    ///   - request: which bytes of which file.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. At least one
    ///     byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``. A failure ends the download
    ///     with this error; the app may start it again.
    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void)

    /// Shows the sheet in which the user redeems an offer code.
    ///
    /// A code that is redeemed leads to an ordinary purchased transaction, which comes with the updates. Called on the
    /// app's thread; must not block.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameter reply: to be called once, when the sheet is closed: with nil if the user redeemed a code or changed their
    ///   mind, else with the reason for which there was no sheet or nothing came of the code. The queue logs it.
    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void)
}

/// On which thread a queue talks to its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// On whichever thread the app called: for stores that live in the process and never block.
    case caller
    /// On a serial queue of the payment queue's own: for stores that may block.
    case background
}

/// What a store says to a look-up of products.
public struct ProductsAnswer: Hashable, Codable, Sendable {
    /// A product for each identifier that is sold, in an order of the store's own, which ``SKProductsResponse`` keeps.
    public var products: [StoreProduct]
    /// The identifiers that are not, in an order of the store's own too.
    public var invalidIdentifiers: [String]
    /// Makes an answer.
    public init(products: [StoreProduct], invalidIdentifiers: [String] = []) {
        self.products = products
        self.invalidIdentifiers = invalidIdentifiers
    }
}

/// What the app would like a sandbox's receipt to say of itself.
public struct ReceiptProperties: Hashable, Codable, Sendable {
    /// That it has expired.
    public var isExpired: Bool
    /// That it has been revoked.
    public var isRevoked: Bool
    /// That it belongs to a volume purchase.
    public var isVolumePurchase: Bool
    /// Makes properties; all false is what an app in production asks for.
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
    /// Everybody may pay.
    public var canMakePayments: Bool { true }
    /// Not known.
    public var storefront: StoreStorefront? { nil }
    /// Nothing waits for it.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {}
    /// No price is to be agreed to.
    public var isPriceConsentPending: Bool { false }
    /// Nothing to show.
    public func showPriceConsent() {}
    /// Nothing to do.
    public func acknowledge(through cursor: UpdateCursor) {}
    /// The store keeps none.
    public var promotionOverrides: PromotionOverrides? { nil }
    /// Refuses, with a sentence.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store promotes no products"))
    }
    /// Cannot be said at once.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// None.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// See the requirement.
    public var appReceipt: Data? { nil }
    /// Refuses, with a sentence.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store has no receipt to refresh"))
    }
    /// Refuses, with a sentence.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.unknown, "this store hosts nothing to download")))
    }

    /// Refuses, with a sentence.
    public func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.unknown, "this store has no sheet for offer codes"))
    }
}
