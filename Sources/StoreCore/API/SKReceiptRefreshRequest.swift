import Foundation

/// A request to update the device's receipt.
///
/// Success is reported only by the finished message. It creates no transactions and is idempotent.
open class SKReceiptRefreshRequest: SKRequest {
    /// The requested properties of a sandbox's receipt, under the `SKReceiptProperty…` names; nil in production.
    open var receiptProperties: [String: Any]? { properties }
    private let properties: [String: Any]?

    /// Creates a request without properties.
    public override init() {
        properties = nil
        super.init()
    }

    /// Creates a request.
    ///
    /// - Parameter properties: booleans under the `SKReceiptProperty…` names, for a sandbox; unknown names and other
    ///   values are ignored.
    public init(receiptProperties properties: [String: Any]?) {
        self.properties = properties
        super.init()
    }

    /// Creates a request to a store, in a context of its own.
    ///
    /// - Parameters:
    ///   - properties: as above.
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
            core.receiptFile.keepUp(with: core)
            reply(failure.map { .failed($0) } ?? .done)
        }
    }
}

/// The key of ``SKReceiptRefreshRequest`` that requests an expired receipt from a sandbox: an `NSNumber` or `Bool`,
/// false by default.
public let SKReceiptPropertyIsExpired: String = "SKReceiptPropertyIsExpired"

/// The key of ``SKReceiptRefreshRequest`` that requests a revoked receipt from a sandbox: an `NSNumber` or `Bool`,
/// false by default.
public let SKReceiptPropertyIsRevoked: String = "SKReceiptPropertyIsRevoked"

/// The key of ``SKReceiptRefreshRequest`` that requests a volume purchase's receipt from a sandbox: an `NSNumber` or
/// `Bool`, false by default.
public let SKReceiptPropertyIsVolumePurchase: String = "SKReceiptPropertyIsVolumePurchase"

/// Ends the process of an app whose receipt is invalid, with a line on standard error and the exit code 173.
public func SKTerminateForInvalidReceipt() {
    FileHandle.standardError.write(Data("the app ended itself: its receipt is not valid\n".utf8))
    exit(173)
}
