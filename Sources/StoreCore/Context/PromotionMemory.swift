/// The promotion overrides of a context whose store keeps none, in memory for the context's lifetime.
final class PromotionMemory: Sendable {
    private let state = Locked((order: [any AnyObject & Sendable](), visibility: [ExactText: Int]()))

    /// The products that come first, as the app passed them; empty for the store's own order.
    var order: [any AnyObject & Sendable] {
        get { state.withLock { $0.order } }
        set { state.withLock { $0.order = newValue } }
    }

    /// The raw value of a product's visibility; 0 for the store's own.
    subscript(visibilityOf productIdentifier: String) -> Int {
        get { state.withLock { $0.visibility[ExactText(productIdentifier)] ?? 0 } }
        set { state.withLock { $0.visibility[ExactText(productIdentifier)] = newValue == 0 ? nil : newValue } }
    }
}
