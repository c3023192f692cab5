/// The app's promotion overrides for a store that does not save them, in memory for the context's lifetime.
final class PromotionMemory: PromotionService {
    private let state = Locked((overrides: PromotionOverrides(), products: [any AnyObject & Sendable]()))

    var promotionOverrides: PromotionOverrides { state.withLock { $0.overrides } }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        state.withLock { $0.overrides.apply(change) }
        reply(nil)
    }

    /// The products that the app last passed as an order, which such a store may be unable to look up.
    var products: [any AnyObject & Sendable] {
        get { state.withLock { $0.products } }
        set {
            // The former products are released without the lock: their class may be the app's.
            let former = state.withLock { state in
                defer { state.products = newValue }
                return state.products
            }
            withExtendedLifetime(former) {}
        }
    }
}

extension ContextCore {
    /// The service that saves the app's changes to promotions: the store's, or else the context's memory.
    var promotionService: any PromotionService { setup.backend?.services.promotions ?? promotions }
}
