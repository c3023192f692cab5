import Foundation

/// Changes, for this device, the order and the visibility of products that the store promotes.
///
/// A store that promotes products keeps what is set here, as ``SandboxStore`` does; see ``StoreBackend/promotionOverrides``.
/// For any other it is kept in memory, as long as the current ``StoreContext`` lives. Completion handlers are called once,
/// with a store in the process before the call returns and on its thread, with another on a thread of the store's.
open class SKProductStorePromotionController: NSObject {
    // Without state of its own, so one may serve every thread.
    nonisolated(unsafe) private static let shared = SKProductStorePromotionController()

    /// A controller; it sees and changes the same as any other.
    public override init() { super.init() }

    /// The controller that apps use.
    ///
    /// A subclass has to override it to be reached this way; the process stops otherwise.
    open class func `default`() -> Self {
        guard let controller = shared as? Self else { fatalError("\(Self.self) must override default() to be its own") }
        return controller
    }

    /// Asks for the products that come first on this device.
    ///
    /// - Parameter completionHandler: gets them in order; none when the store's order is unchanged.
    open func fetchStorePromotionOrder(completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil) {
        let place = PromotionPlace.current
        guard let store = place.store, let overrides = store.promotionOverrides else {
            completionHandler?(place.memory.order.compactMap { $0 as? SKProduct }, nil)
            return
        }
        store.describe(overrides.order, completionHandler)
    }

    /// Puts products first on this device; the others follow in the store's order.
    ///
    /// - Parameters:
    ///   - promotionOrder: the products, in order; none gives the store's order back.
    ///   - completionHandler: gets no error.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let place = PromotionPlace.current
        guard let store = place.store, store.promotionOverrides != nil else {
            place.memory.order = promotionOrder
            completionHandler?(nil)
            return
        }
        store.change(.order(promotionOrder.map(\.productIdentifier)), completionHandler)
    }

    /// Asks whether a product is shown on this device.
    ///
    /// - Parameters:
    ///   - product: the product, recognised by its identifier.
    ///   - completionHandler: gets what was set, `default` when nothing was.
    open func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        let place = PromotionPlace.current
        let identifier = product.productIdentifier
        guard let overrides = place.store?.promotionOverrides else {
            let visibility = SKProductStorePromotionVisibility(rawValue: place.memory[visibilityOf: identifier])
            completionHandler?(visibility ?? .default, nil)
            return
        }
        let visibility: SKProductStorePromotionVisibility? = overrides.visibility[identifier].map { $0 ? .show : .hide }
        completionHandler?(visibility ?? .default, nil)
    }

    /// Shows or hides a product on this device.
    ///
    /// - Parameters:
    ///   - promotionVisibility: what to do; `default` leaves it to the store again.
    ///   - product: the product, recognised by its identifier.
    ///   - completionHandler: gets no error.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let place = PromotionPlace.current
        let identifier = product.productIdentifier
        guard let store = place.store, store.promotionOverrides != nil else {
            place.memory[visibilityOf: identifier] = promotionVisibility.rawValue
            completionHandler?(nil)
            return
        }
        let isShown = promotionVisibility == .default ? nil : promotionVisibility == .show
        store.change(.visibility(productIdentifier: identifier, isShown: isShown), completionHandler)
    }

    /// The products that come first on this device, in order; none when the store's order is unchanged.
    nonisolated(nonsending) open func promotionOrder() async throws -> [SKProduct] {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionOrder { order, error in continuation.resume(with: outcome(order, error)) }
        }
    }

    /// Puts products first on this device; none gives the store's order back.
    nonisolated(nonsending) open func update(promotionOrder: [SKProduct]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionOrder: promotionOrder) { continuation.resume(with: outcome((), $0)) }
        }
    }

    /// Whether a product is shown on this device, `default` when nothing was set.
    nonisolated(nonsending) open func promotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionVisibility(for: product) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Shows or hides a product on this device; `default` leaves it to the store again.
    nonisolated(nonsending) open func update(
        promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionVisibility: promotionVisibility, for: product) {
                continuation.resume(with: outcome((), $0))
            }
        }
    }
}

private func outcome<Value>(_ value: Value, _ error: (any Error)?) -> Result<Value, any Error> {
    error.map { .failure($0) } ?? .success(value)
}
