import Foundation

/// A store behind a network, written with `async` functions.
///
/// The promises are those of ``StoreBackend``; only the form differs. A thrown error is a temporary failure, after
/// which the queue retries. One line turns it into a store that queues can use:
///
/// ```swift
/// let queue = SKPaymentQueue(backend: MyStore().asStoreBackend())
/// ```
///
/// Every requirement may be called on any task, `submit` by one at a time for each queue.
public protocol AsyncStoreBackend: Sendable {
    /// The clock that this store goes by. Default: the system's.
    var clock: any StoreClock { get }
    /// Whether the user of this device may pay, as far as is known now. Must not block. Default: true.
    var canMakePayments: Bool { get }
    /// The country that the store sells for, as far as is known now. Default: nil.
    var storefront: StoreStorefront? { get }

    /// The app's changes to how the store promotes products, as far as is known now; nil where the store keeps no such
    /// changes. Default: nil.
    var promotionOverrides: PromotionOverrides? { get }

    /// Changes how the store promotes products on this device. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter change: the change that the app wants.
    /// - Throws: the reason why it cannot. The app's completion handler gets it.
    func changePromotion(_ change: PromotionChange) async throws

    /// Whether an identifier is sold here, as far as is known now; nil when unknown. Must not block. Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// The signed receipt of a transaction that came without one, if it is at hand. Must not block. Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// See ``StoreBackend/appReceipt``. Default: nil.
    var appReceipt: Data? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed, as
    /// ``StoreBackend/decideAfterStorefrontChange(transaction:shouldContinue:)`` says. Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async

    /// Whether the store wants to ask the user of this device to agree to a higher price, as far as is known now. Must
    /// not block. Default: false.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``StoreBackend/showPriceConsent()`` says. Default: does nothing.
    func showPriceConsent() async

    /// Accepts commands, as ``StoreBackend/submit(_:reply:)`` says.
    ///
    /// - Parameter commands: at least one, in the order of their numbers.
    /// - Throws: any error, for a temporary failure. The queue retries the same commands with growing backoff.
    func submit(_ commands: [StoreCommand]) async throws

    /// Sends updates until the task is canceled, as ``StoreBackend/connect(_:after:)`` says.
    ///
    /// Returning or throwing ends the connection. The queue reconnects from its cursor, after a pause.
    ///
    /// - Parameters:
    ///   - cursor: the queue's cursor; nil for a queue that knows nothing.
    ///   - feed: receives the batches, one at a time and in order.
    /// - Throws: any error, for a connection that broke.
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws

    /// Confirms that the queue has told its observers every update up to a cursor. Default: does nothing.
    ///
    /// - Parameter cursor: see ``StoreBackend/acknowledge(through:)``.
    func acknowledge(through cursor: UpdateCursor) async

    /// Looks up products.
    ///
    /// - Parameter identifiers: the identifiers that the app asks for; any string may be among them.
    /// - Returns: a product for each identifier that is sold, and the other identifiers.
    /// - Throws: the reason why there is no answer now. The app's request fails with it.
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer

    /// Refreshes the device's receipt. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter properties: the properties that a sandbox's receipt should have.
    /// - Throws: the reason why it cannot. The app's request fails with it.
    func refreshReceipt(_ properties: ReceiptProperties) async throws

    /// Sends some bytes of a file that the store hosts, as ``StoreBackend/fetchContent(_:reply:)`` says. Default:
    /// refuses, with the code `unknown`.
    ///
    /// - Parameter request: the range of bytes, and their file.
    /// - Returns: at least one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``.
    /// - Throws: the reason why it cannot. The download fails with it, and the app may start it again.
    func content(_ request: ContentRequest) async throws -> Data

    /// Shows the sheet in which the user redeems an offer code; returns when it is closed. Default: refuses, with the
    /// code `unknown`.
    ///
    /// - Throws: the reason why there is no sheet, or why the code had no effect. The queue logs it.
    func presentCodeRedemptionSheet() async throws
}

extension AsyncStoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// True: payments are allowed.
    public var canMakePayments: Bool { true }
    /// Nil: unknown.
    public var storefront: StoreStorefront? { nil }
    /// Nil: the store keeps no changes.
    public var promotionOverrides: PromotionOverrides? { nil }
    /// Throws a failure with the code `unknown`.
    public func changePromotion(_ change: PromotionChange) async throws {
        throw StoreFailure.storeKit(.unknown, "this store promotes no products")
    }
    /// Nil: unknown.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// Nil: no receipt.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: no app receipt.
    public var appReceipt: Data? { nil }
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
    /// False: no consent is pending.
    public var isPriceConsentPending: Bool { false }
    /// Does nothing.
    public func showPriceConsent() async {}
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) async {}
    /// Throws a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties) async throws {
        throw StoreFailure.storeKit(.unknown, "this store has no receipt to refresh")
    }
    /// Throws a failure with the code `unknown`.
    public func content(_ request: ContentRequest) async throws -> Data {
        throw StoreFailure.storeKit(.unknown, "this store hosts nothing to download")
    }

    /// Throws a failure with the code `unknown`.
    public func presentCodeRedemptionSheet() async throws {
        throw StoreFailure.storeKit(.unknown, "this store has no sheet for offer codes")
    }

    /// Returns this store in the form that queues use.
    public func asStoreBackend() -> any StoreBackend { AsyncBackendAdapter(self) }
}

/// The receiver of the updates that ``AsyncStoreBackend/sendUpdates(after:to:)`` sends.
public struct UpdateFeed: Sendable {
    private let receiver: any StoreUpdateReceiver

    init(_ receiver: any StoreUpdateReceiver) { self.receiver = receiver }

    /// The name under which the queue numbers its commands.
    public var journal: JournalID { receiver.journal }

    /// Sends a batch of updates.
    ///
    /// Returns once the queue has accepted them; its callbacks are made elsewhere unless delivery is inline.
    public func send(_ batch: UpdateBatch) { receiver.receive(batch) }
}
