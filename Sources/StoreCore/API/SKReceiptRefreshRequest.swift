import Foundation

/// Asks the store to bring the device's receipt up to date.
///
/// Success is only the message that the request has finished. It makes no transactions, and repeating it changes nothing.
open class SKReceiptRefreshRequest: SKRequest {
    /// What the receipt of a sandbox is to say of itself, under the `SKReceiptProperty…` names; nil in production.
    open var receiptProperties: [String: Any]? { properties }
    private let properties: [String: Any]?

    /// Makes a request without wishes.
    public override init() {
        properties = nil
        super.init()
    }

    /// Makes a request.
    ///
    /// - Parameter properties: booleans under the `SKReceiptProperty…` names, for a sandbox; unknown names and other
    ///   values are passed over.
    public init(receiptProperties properties: [String: Any]?) {
        self.properties = properties
        super.init()
    }

    /// Makes a request to a store, in a context of its own.
    ///
    /// - Parameters:
    ///   - properties: as above.
    ///   - backend: the store.
    ///   - delivery: where the delegate is called.
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
        (core.backendOrWarning ?? NoBackend.shared).refreshReceipt(properties) { failure in
            core.receiptFile.keepUp(with: core)
            reply(failure.map { .failed($0) } ?? .done)
        }
    }
}
