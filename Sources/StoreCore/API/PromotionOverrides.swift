/// What the app wants changed on this device in the promotion of its products.
final class PromotionOverrides: Sendable {
    /// Kept in memory, for the process: no store takes part in it yet.
    static let current = PromotionOverrides()

    private let state = Locked((order: [SKProduct](), visibility: [String: SKProductStorePromotionVisibility]()))

    /// The products that come first; empty for the store's own order.
    var order: [SKProduct] {
        get { state.withLock { $0.order } }
        set { state.withLock { $0.order = newValue } }
    }

    subscript(visibilityOf productIdentifier: String) -> SKProductStorePromotionVisibility {
        get { state.withLock { $0.visibility[productIdentifier] ?? .default } }
        set { state.withLock { $0.visibility[productIdentifier] = newValue == .default ? nil : newValue } }
    }
}
