import Foundation

/// A ``StorefrontService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncStorefrontService: Sendable {
    /// The country that the store sells for, as far as is known now. Must not block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed, as
    /// ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)`` says. Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async
}

extension AsyncStorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
}

/// A ``ReceiptService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncReceiptService: Sendable {
    /// Returns the signed receipt of a transaction that came without one, if it is at hand. Must not block.
    ///
    /// Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, if it is at hand; see ``ReceiptService/appReceipt``. Default: nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter properties: the properties that a sandbox's receipt should have.
    /// - Throws: the reason why it cannot. The app's request fails with it.
    func refreshReceipt(_ properties: ReceiptProperties) async throws
}

extension AsyncReceiptService {
    /// Nil: no receipt.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: no app receipt.
    public var appReceipt: Data? { nil }
    /// Throws a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties) async throws { throw StoreFailure.noReceipt }
}

/// A ``ContentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncContentService: Sendable {
    /// Returns some bytes of a file that the store hosts, as ``ContentService/fetchContent(_:reply:)`` says.
    ///
    /// - Parameter request: the range of bytes, and their file.
    /// - Returns: at least one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``.
    /// - Throws: the reason why it cannot. The download fails with it, and the app may start it again.
    func content(_ request: ContentRequest) async throws -> Data
}

/// A ``PromotionService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPromotionService: Sendable {
    /// The app's changes on this device, as far as is known now. Must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// - Parameter change: the change that the app wants.
    /// - Throws: the reason why it cannot. The app's completion handler gets it.
    func changePromotion(_ change: PromotionChange) async throws
}

/// An ``OfferCodeService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncOfferCodeService: Sendable {
    /// Shows the sheet in which the user redeems an offer code; returns when it is closed.
    ///
    /// - Throws: the reason why there is no sheet, or why the code had no effect. The queue logs it.
    func presentCodeRedemptionSheet() async throws
}

/// A ``PriceConsentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device to agree to a higher price, as far as is known now. Must
    /// not block.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``PriceConsentService/showPriceConsent()`` says.
    func showPriceConsent() async
}
