import Foundation

/// A store's service that issues signed receipts.
///
/// Any thread may call it.
public protocol ReceiptService: Sendable {
    /// Returns the signed receipt of a purchased or restored transaction, created when it is read; nil for any other.
    ///
    /// Not called for a transaction that has its ``StoreTransaction/receipt``. Must be quick.
    ///
    /// Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, signed and created when it is read; nil where there is none. Must be quick.
    ///
    /// Default: nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - properties: the properties that a sandbox's receipt should have.
    ///   - reply: to be called once, on any thread, with nil when the receipt has been refreshed.
    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void)
}

extension ReceiptService {
    /// Nil: no receipt.
    public func receipt(forTransaction identifier: String) -> Data? { nil }
    /// Nil: no app receipt.
    public var appReceipt: Data? { nil }
    /// Replies with a failure with the code `unknown`.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.noReceipt)
    }
}

extension StoreFailure {
    /// The refusal of a refresh by a store that issues no app receipt.
    static let noReceipt = StoreFailure.storeKit(.unknown, "this store has no receipt to refresh")
}

/// A ``ReceiptService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncReceiptService: Sendable {
    /// Returns the signed receipt of a transaction that arrived without one, if it is at hand. Must not block.
    ///
    /// Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, if it is at hand; see ``ReceiptService/appReceipt``. Default: nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt. Default: refuses, with the code `unknown`.
    ///
    /// - Parameter properties: the properties that a sandbox's receipt should have.
    /// - Throws: the reason why it cannot be refreshed. The app's request fails with it.
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

/// The properties that the app requests for a sandbox's receipt.
public struct ReceiptProperties: Hashable, Codable, Sendable {
    /// Whether it has expired.
    public var isExpired: Bool
    /// Whether it has been revoked.
    public var isRevoked: Bool
    /// Whether it belongs to a volume purchase.
    public var isVolumePurchase: Bool
    /// Creates properties; all are false for an app in production.
    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}
