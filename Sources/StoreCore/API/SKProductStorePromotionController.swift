import Foundation

/// A controller for the order and the visibility, on this device, of products that the store promotes.
///
/// A store with a ``PromotionService``, such as ``SandboxStore``, stores these overrides. For any other store they are
/// held in memory for the lifetime of the current ``StoreContext``. Completion handlers are called once: with an
/// in-process store, on the calling thread before the call returns; with another, on one of the store's threads.
open class SKProductStorePromotionController: NSObject {
    // Stateless, so that one may serve every thread.
    nonisolated(unsafe) private static let shared = SKProductStorePromotionController()

    /// Creates a controller, which shares its overrides with every other.
    public override init() { super.init() }

    /// Returns the controller that apps use.
    ///
    /// A subclass must override it to be reached this way; otherwise it traps.
    open class func `default`() -> Self {
        guard let controller = shared as? Self else { fatalError("\(Self.self) must override default() to be its own") }
        return controller
    }

    /// Fetches the products that come first on this device.
    ///
    /// - Parameter completionHandler: receives them in order; none if the store's order is unchanged.
    open func fetchStorePromotionOrder(completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil) {
        let core = StoreContext.current.core
        guard let store = core.setup.backend, let overrides = store.services.promotions?.promotionOverrides else {
            completionHandler?(core.promotions.order.compactMap { $0 as? SKProduct }, nil)
            return
        }
        store.describe(overrides.order, completionHandler)
    }

    /// Sets the products that come first on this device; the others follow in the store's order.
    ///
    /// - Parameters:
    ///   - promotionOrder: the products, in order; none restores the store's order.
    ///   - completionHandler: receives no error.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let core = StoreContext.current.core
        guard let service = core.setup.backend?.services.promotions else {
            core.promotions.order = promotionOrder
            completionHandler?(nil)
            return
        }
        service.change(.order(promotionOrder.map(\.productIdentifier)), completionHandler)
    }

    /// Fetches the visibility of a product on this device.
    ///
    /// - Parameters:
    ///   - product: the product, recognized by its identifier.
    ///   - completionHandler: receives the override, `default` if there is none.
    open func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        let core = StoreContext.current.core
        let identifier = product.productIdentifier
        guard let overrides = core.setup.backend?.services.promotions?.promotionOverrides else {
            let visibility = SKProductStorePromotionVisibility(rawValue: core.promotions[visibilityOf: identifier])
            completionHandler?(visibility ?? .default, nil)
            return
        }
        let visibility: SKProductStorePromotionVisibility? = overrides.visibility[identifier].map { $0 ? .show : .hide }
        completionHandler?(visibility ?? .default, nil)
    }

    /// Shows or hides a product on this device.
    ///
    /// - Parameters:
    ///   - promotionVisibility: the new visibility; `default` removes the override.
    ///   - product: the product, recognized by its identifier.
    ///   - completionHandler: receives no error.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let core = StoreContext.current.core
        let identifier = product.productIdentifier
        guard let service = core.setup.backend?.services.promotions else {
            core.promotions[visibilityOf: identifier] = promotionVisibility.rawValue
            completionHandler?(nil)
            return
        }
        let isShown = promotionVisibility == .default ? nil : promotionVisibility == .show
        service.change(.visibility(productIdentifier: identifier, isShown: isShown), completionHandler)
    }

    /// Returns the products that come first on this device, in order; none if the store's order is unchanged.
    nonisolated(nonsending) open func promotionOrder() async throws -> [SKProduct] {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionOrder { order, error in continuation.resume(with: outcome(order, error)) }
        }
    }

    /// Sets the products that come first on this device; none restores the store's order.
    nonisolated(nonsending) open func update(promotionOrder: [SKProduct]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionOrder: promotionOrder) { continuation.resume(with: outcome((), $0)) }
        }
    }

    /// Returns the visibility of a product on this device, `default` if there is no override.
    nonisolated(nonsending) open func promotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionVisibility(for: product) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Shows or hides a product on this device; `default` removes the override.
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

extension PromotionService {
    /// Changes an override, and passes the handler the error that prevented the change, if any.
    fileprivate func change(_ change: PromotionChange, _ handler: (((any Error)?) -> Void)?) {
        let handler = once(handler)
        changePromotion(change) { failure in handler.withLock { $0.take() }?(failure?.error) }
    }
}

extension StoreBackend {
    /// Looks up products in the given order, omitting those that are no longer sold.
    fileprivate func describe(_ identifiers: [String], _ handler: (([SKProduct], (any Error)?) -> Void)?) {
        if identifiers.isEmpty {
            handler?([], nil)
            return
        }
        let handler = once(handler)
        products(Set(identifiers)) { answer in
            let handler = handler.withLock { $0.take() }
            switch answer {
            case .success(let answer):
                let products = Dictionary(answer.products.map { (ExactText($0.identifier), $0) }) { first, _ in first }
                handler?(identifiers.compactMap { products[ExactText($0)].map(SKProduct.init) }, nil)
            case .failure(let failure):
                handler?([], failure.error)
            }
        }
    }
}

/// Passes a completion handler to the thread of the store's response, which removes it to call it at most once.
private func once<Handler>(_ handler: Handler) -> Locked<Handler> {
    nonisolated(unsafe) let handler = handler
    return Locked(handler)
}

/// The visibility, on this device, of a product that the store promotes.
///
/// The list is complete: later versions add nothing to it.
@frozen
public enum SKProductStorePromotionVisibility: Int, Sendable {
    /// The store's own setting.
    case `default` = 0
    /// Shown.
    case show = 1
    /// Hidden.
    case hide = 2
}
