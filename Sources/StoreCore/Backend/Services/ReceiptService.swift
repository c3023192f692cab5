import Foundation

/// A store's service that issues signed receipts.
///
/// Any thread may call it.
public protocol ReceiptService: Sendable {
    /// Returns the signed receipt of a purchased or restored transaction, made when it is read; nil for any other.
    ///
    /// A transaction that carries its ``StoreTransaction/receipt`` is not asked for. Must be quick.
    ///
    /// Default: nil.
    func receipt(forTransaction identifier: String) -> Data?

    /// The device's app receipt, signed and made when it is read; nil where there is none. Must be quick.
    ///
    /// Default: nil.
    var appReceipt: Data? { get }

    /// Refreshes the device's receipt.
    ///
    /// Default: refuses, with the code `unknown`.
    ///
    /// - Parameters:
    ///   - properties: the properties that a sandbox's receipt should have.
    ///   - reply: to be called once, on any thread, with nil when the receipt is fresh.
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
