import Foundation

/// A request to refresh the device's receipt.
///
/// Success is reported only by ``SKRequestDelegate/requestDidFinish(_:)``. The request creates no transactions, and may
/// be repeated.
open class SKReceiptRefreshRequest: SKRequest {
    /// The properties with which the request was created, by the `SKReceiptProperty…` names; nil if there are none.
    ///
    /// A sandbox store applies them to its receipt.
    open var receiptProperties: [String: Any]? { properties }
    private let properties: [String: Any]?

    /// Creates a request without properties.
    public override init() {
        properties = nil
        super.init()
    }

    /// Creates a request for a receipt with properties.
    ///
    /// - Parameter properties: Boolean values by the `SKReceiptProperty…` names, for a sandbox; unknown names and other
    ///   values are ignored.
    public init(receiptProperties properties: [String: Any]?) {
        self.properties = properties
        super.init()
    }

    /// Creates a request to a given store, in a context of its own.
    ///
    /// - Parameters:
    ///   - properties: the properties, as for ``init(receiptProperties:)``.
    ///   - backend: the store.
    ///   - delivery: the place where the delegate is called.
    public convenience init(
        receiptProperties properties: [String: Any]?,
        backend: any StoreBackend,
        delivery: StoreDelivery = .main
    ) {
        InitializerHandover.leave(StoreContext(backend: backend, delivery: delivery), for: Self.self)
        self.init(receiptProperties: properties)
    }

    override func send(_ reply: @escaping @Sendable (RequestAnswer) -> Void) {
        let wishes = receiptProperties ?? [:]
        func isSet(_ name: String) -> Bool { (wishes[name] as? NSNumber)?.boolValue ?? wishes[name] as? Bool ?? false }
        let properties = ReceiptProperties(
            isExpired: isSet(SKReceiptPropertyIsExpired),
            isRevoked: isSet(SKReceiptPropertyIsRevoked),
            isVolumePurchase: isSet(SKReceiptPropertyIsVolumePurchase)
        )
        let core = context.core
        guard let receipts = (core.backendOrWarning ?? NoBackend.shared).services.receipts else {
            return reply(.failed(.noReceipt))
        }
        receipts.refreshReceipt(properties) { failure in
            core.receiptFile.refreshIfWatched(core)
            reply(failure.map { .failed($0) } ?? .done)
        }
    }
}

/// The key by which an ``SKReceiptRefreshRequest`` requests an expired receipt from a sandbox.
///
/// The value is an `NSNumber` or `Bool`, by default false.
public let SKReceiptPropertyIsExpired: String = "SKReceiptPropertyIsExpired"

/// The key by which an ``SKReceiptRefreshRequest`` requests a revoked receipt from a sandbox.
///
/// The value is an `NSNumber` or `Bool`, by default false.
public let SKReceiptPropertyIsRevoked: String = "SKReceiptPropertyIsRevoked"

/// The key by which an ``SKReceiptRefreshRequest`` requests the receipt of a volume purchase from a sandbox.
///
/// The value is an `NSNumber` or `Bool`, by default false.
public let SKReceiptPropertyIsVolumePurchase: String = "SKReceiptPropertyIsVolumePurchase"

/// Ends the process of an app whose receipt is invalid, with a message on standard error and exit code 173.
public func SKTerminateForInvalidReceipt() {
    FileHandle.standardError.write(Data("the app ended itself: its receipt is not valid\n".utf8))
    exit(173)
}
