import Foundation

/// A service by which a store issues signed receipts.
///
/// Its requirements may be called on any thread.
public protocol ReceiptService: Sendable {
    /// Returns the signed receipt of a purchased or restored transaction; nil for any other transaction.
    ///
    /// Called when the app reads the receipt of a transaction without a ``StoreTransaction/receipt``. Must not block.
    /// The default implementation returns nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's signed app receipt, created when it is read; nil if there is none. Must not block.
    ///
    /// By default nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt.
    ///
    /// Called on the thread that starts the app's request, which must not be blocked. The default implementation fails
    /// with the code `unknown`.
    ///
    /// - Parameters:
    ///   - properties: the properties that the app requests for a sandbox's receipt.
    ///   - reply: to be called once, on any thread, before this method returns or later, with nil when the receipt has
    ///     been refreshed, else with the reason for the failure, with which the app's request fails.
    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void)
}

extension ReceiptService {
    /// Returns nil: the store issues no receipts.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: the store issues no app receipts.
    public var appReceipt: Data? { nil }
    /// Replies with a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.noReceipt)
    }
}

extension StoreFailure {
    /// The failure of a refresh by a store that issues no app receipts.
    static let noReceipt = StoreFailure.storeKit(.unknown, "this store has no receipt to refresh")
}

/// A ``ReceiptService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncReceiptService: Sendable {
    /// Returns the signed receipt of a transaction that arrived without one; nil if it is not available at once. Must
    /// not block.
    ///
    /// The default implementation returns nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, see ``ReceiptService/appReceipt``; nil if it is not available at once. By default nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt. By default, fails with the code `unknown`.
    ///
    /// - Parameter properties: the properties that the app requests for a sandbox's receipt.
    /// - Throws: the reason why the receipt cannot be refreshed. The app's request fails with this error.
    func refreshReceipt(_ properties: ReceiptProperties) async throws
}

extension AsyncReceiptService {
    /// Returns nil: the store issues no receipts.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: the store issues no app receipts.
    public var appReceipt: Data? { nil }
    /// Throws a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties) async throws { throw StoreFailure.noReceipt }
}

/// The properties that the app requests for a sandbox's receipt.
public struct ReceiptProperties: Hashable, Codable, Sendable {
    /// Whether the receipt has expired.
    public var isExpired: Bool
    /// Whether the receipt has been revoked.
    public var isRevoked: Bool
    /// Whether the receipt belongs to a volume purchase.
    public var isVolumePurchase: Bool
    /// Creates properties; in production, all are false.
    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}
