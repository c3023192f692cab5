import Foundation

/// A controller that sets the order and visibility of promoted products on this device.
///
/// A store with a ``PromotionService``, such as ``SandboxStore``, saves the app's changes. For any other store, the
/// changes are held in memory for the lifetime of the current ``StoreContext``. The changes are the same as those of
/// `Product.PromotionInfo` of Store Kit 2: what one sets, the other reads.
///
/// Each completion handler is called once: on the calling thread, before the method returns, if the result is known at
/// once, as it always is with an in-process store; otherwise on one of the store's own threads.
open class SKProductStorePromotionController: NSObject {
    // Stateless, so that one instance can be used by every thread.
    nonisolated(unsafe) private static let shared = SKProductStorePromotionController()

    /// Creates a controller; all controllers share the same changes.
    public override init() { super.init() }

    /// Returns the controller that apps use.
    ///
    /// A subclass must override this method: otherwise the call traps.
    open class func `default`() -> Self {
        guard let controller = shared as? Self else { fatalError("\(Self.self) must override default() to be its own") }
        return controller
    }

    /// Fetches the products that the app has moved before all others on this device.
    ///
    /// - Parameter completionHandler: receives the products in order, without those that are no longer sold, and nil;
    ///   no products if the store's order applies. If the products cannot be looked up, it receives none, and the
    ///   error.
    open func fetchStorePromotionOrder(completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil) {
        let core = StoreContext.current.core
        let service = core.promotionService
        let order = service.promotionOverrides.order
        let passed = (service as? PromotionMemory)?.products.compactMap { $0 as? SKProduct } ?? []
        if order.elementsEqual(passed, by: { $0.isExactly($1.productIdentifier) }) {
            completionHandler?(passed, nil)
        } else {
            (core.setup.backend ?? NoBackend.shared).describe(order, completionHandler)
        }
    }

    /// Moves products before all others on this device; the others follow in the store's order.
    ///
    /// - Parameters:
    ///   - promotionOrder: the products in order; an empty array restores the store's order.
    ///   - completionHandler: receives nil, or the store's error.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let service = StoreContext.current.core.promotionService
        (service as? PromotionMemory)?.products = promotionOrder
        service.change(.order(promotionOrder.map(\.productIdentifier)), completionHandler)
    }

    /// Fetches the app's setting of a product's visibility on this device.
    ///
    /// - Parameters:
    ///   - product: the product, identified by its product identifier.
    ///   - completionHandler: receives the visibility; `default` if the app has not set it. A product that Store Kit 2
    ///     has left out of its order is hidden.
    open func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        let overrides = StoreContext.current.core.promotionService.promotionOverrides
        let isShown = overrides.isShown(product.productIdentifier)
        completionHandler?(isShown.map { $0 ? .show : .hide } ?? .default, nil)
    }

    /// Shows or hides a product on this device.
    ///
    /// - Parameters:
    ///   - promotionVisibility: the new visibility; `default` restores the store's setting.
    ///   - product: the product, identified by its product identifier.
    ///   - completionHandler: receives nil, or the store's error.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let isShown = promotionVisibility == .default ? nil : promotionVisibility == .show
        StoreContext.current.core.promotionService.change(
            .visibility(productIdentifier: product.productIdentifier, isShown: isShown),
            completionHandler
        )
    }

    /// Returns the products that the app has moved before all others on this device; none if the store's order applies.
    ///
    /// - Throws: the store's error if the products cannot be looked up.
    nonisolated(nonsending) open func promotionOrder() async throws -> [SKProduct] {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionOrder { order, error in continuation.resume(with: outcome(order, error)) }
        }
    }

    /// Moves products before all others on this device; an empty array restores the store's order.
    ///
    /// - Throws: the store's error.
    nonisolated(nonsending) open func update(promotionOrder: [SKProduct]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionOrder: promotionOrder) { continuation.resume(with: outcome((), $0)) }
        }
    }

    /// Returns the app's setting of a product's visibility on this device; `default` if the app has not set it.
    ///
    /// Never throws.
    nonisolated(nonsending) open func promotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionVisibility(for: product) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Shows or hides a product on this device; `default` restores the store's setting.
    ///
    /// - Throws: the store's error.
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
    /// Makes a change in the store, and calls a handler with nil or the store's error.
    fileprivate func change(_ change: PromotionChange, _ handler: (((any Error)?) -> Void)?) {
        let handler = once(handler)
        changePromotion(change) { failure in handler.withLock { $0.take() }?(failure?.error) }
    }
}

extension StoreBackend {
    /// Looks up products; passes them to a handler in the given order, without those that are no longer sold.
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
            case .failure(let failure): handler?([], failure.error)
            }
        }
    }
}

/// Wraps a completion handler for another thread, which takes it out of the lock to call it at most once.
private func once<Handler>(_ handler: Handler) -> Locked<Handler> {
    nonisolated(unsafe) let handler = handler
    return Locked(handler)
}

/// The visibility, on this device, of a product that the store promotes.
///
/// The list is complete: later versions will not extend it.
@frozen
public enum SKProductStorePromotionVisibility: Int, Sendable {
    /// The store's own setting applies.
    case `default` = 0
    /// The product is shown.
    case show = 1
    /// The product is hidden.
    case hide = 2
}

extension SKPaymentQueue {
    /// The service that saves the app's changes to promotions.
    package var promotionService: any PromotionService { notifier.core.promotionService }
}
