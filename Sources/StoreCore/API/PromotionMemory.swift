/// What apps want changed in the promotion of their products, where no store keeps it: as long as the context lives.
final class PromotionMemory: Sendable {
    private let state = Locked((order: [SKProduct](), visibility: [ExactText: SKProductStorePromotionVisibility]()))

    /// The products that come first; empty for the store's own order.
    var order: [SKProduct] {
        get { state.withLock { $0.order } }
        set { state.withLock { $0.order = newValue } }
    }

    subscript(visibilityOf productIdentifier: String) -> SKProductStorePromotionVisibility {
        get { state.withLock { $0.visibility[ExactText(productIdentifier)] ?? .default } }
        set { state.withLock { $0.visibility[ExactText(productIdentifier)] = newValue == .default ? nil : newValue } }
    }
}
