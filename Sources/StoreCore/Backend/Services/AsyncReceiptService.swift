import Foundation

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
