import Foundation

/// A store behind a network, written with `async` functions.
///
/// The promises are those of ``StoreBackend``; what differs is the form: an error that is thrown is passing trouble, and
/// the queue tries again. One line makes it a store that queues can use:
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

    /// What the app has changed in how the store promotes products, as far as is known now; nil where the store keeps no
    /// such changes. Default: nil.
    var promotionOverrides: PromotionOverrides? { get }

    /// Changes how the store promotes products on this device. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter change: what the app wants.
    /// - Throws: why it cannot. The app's completion handler gets it.
    func changePromotion(_ change: PromotionChange) async throws

    /// Whether an identifier is sold here, as far as is known now; nil when unknown. Must not block. Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// The signed receipt of a transaction that came without one, if it is at hand. Must not block. Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// See ``StoreBackend/appReceipt``. Default: nil.
    var appReceipt: Data? { get }

    /// What the app says of a purchase that was under way when the storefront changed, as
    /// ``StoreBackend/decideAfterStorefrontChange(transaction:shouldContinue:)`` says. Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it goes on in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async

    /// Whether the store wants to ask the user of this device to agree to a higher price, as far as is known now. Must not
    /// block. Default: false.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``StoreBackend/showPriceConsent()`` says. Default: does nothing.
    func showPriceConsent() async

    /// Takes commands in, as ``StoreBackend/submit(_:reply:)`` says.
    ///
    /// - Parameter commands: at least one, in the order of their numbers.
    /// - Throws: anything, for passing trouble. The same commands come again, after a pause that grows.
    func submit(_ commands: [StoreCommand]) async throws

    /// Sends updates until the task is cancelled, as ``StoreBackend/connect(_:after:)`` says.
    ///
    /// Returning or throwing ends the connection. The queue connects again from where it is, after a pause.
    ///
    /// - Parameters:
    ///   - cursor: how far the queue has come; nil for one that knows nothing.
    ///   - feed: takes the batches, one at a time and in order.
    /// - Throws: anything, for a connection that broke.
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws

    /// The queue has told its observers all that came up to here. Default: does nothing.
    ///
    /// - Parameter cursor: see ``StoreBackend/acknowledge(through:)``.
    func acknowledge(through cursor: UpdateCursor) async

    /// Looks up products.
    ///
    /// - Parameter identifiers: what the app asks for; any string may be among them.
    /// - Returns: a product for each that is sold, and the others.
    /// - Throws: why nothing can be said now. The app's request fails with it.
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer

    /// Brings the device's receipt up to date. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter properties: what a sandbox's receipt should say of itself.
    /// - Throws: why it cannot. The app's request fails with it.
    func refreshReceipt(_ properties: ReceiptProperties) async throws

    /// Sends some bytes of a file that the store hosts, as ``StoreBackend/fetchContent(_:reply:)`` says. Default: refuses,
    /// with the code `unknown`.
    ///
    /// - Parameter request: which bytes of which file.
    /// - Returns: at least one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``.
    /// - Throws: why it cannot. The download fails with it, and the app may start it again.
    func content(_ request: ContentRequest) async throws -> Data

    /// Shows the sheet in which the user redeems an offer code; returns when it is closed. Default: refuses, with the
    /// code `unknown`.
    ///
    /// - Throws: why there is no sheet, or nothing came of the code. The queue logs it.
    func presentCodeRedemptionSheet() async throws
}

extension AsyncStoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// Everybody may pay.
    public var canMakePayments: Bool { true }
    /// Not known.
    public var storefront: StoreStorefront? { nil }
    /// The store keeps none.
    public var promotionOverrides: PromotionOverrides? { nil }
    /// Refuses, with a sentence.
    public func changePromotion(_ change: PromotionChange) async throws {
        throw StoreFailure.storeKit(.unknown, "this store promotes no products")
    }
    /// Not known.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// None.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// See the requirement.
    public var appReceipt: Data? { nil }
    /// Nothing waits for it.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
    /// No price is to be agreed to.
    public var isPriceConsentPending: Bool { false }
    /// Nothing to show.
    public func showPriceConsent() async {}
    /// Nothing to do.
    public func acknowledge(through cursor: UpdateCursor) async {}
    /// Refuses, with a sentence.
    public func refreshReceipt(_ properties: ReceiptProperties) async throws {
        throw StoreFailure.storeKit(.unknown, "this store has no receipt to refresh")
    }
    /// Refuses, with a sentence.
    public func content(_ request: ContentRequest) async throws -> Data {
        throw StoreFailure.storeKit(.unknown, "this store hosts nothing to download")
    }

    /// Refuses, with a sentence.
    public func presentCodeRedemptionSheet() async throws {
        throw StoreFailure.storeKit(.unknown, "this store has no sheet for offer codes")
    }

    /// This store in the form that queues use.
    public func asStoreBackend() -> any StoreBackend { AsyncBackendAdapter(self) }
}

/// Where a store's ``AsyncStoreBackend/sendUpdates(after:to:)`` puts its updates.
public struct UpdateFeed: Sendable {
    private let receiver: any StoreUpdateReceiver

    init(_ receiver: any StoreUpdateReceiver) { self.receiver = receiver }

    /// Under which name the queue numbers its commands.
    public var journal: JournalID { receiver.journal }

    /// Hands over some updates.
    ///
    /// Returns once the queue has taken them in; its callbacks are made elsewhere unless delivery is inline.
    public func send(_ batch: UpdateBatch) { receiver.receive(batch) }
}
