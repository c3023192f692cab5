import Foundation

/// The place of the current context's promotion overrides: its store, or memory.
struct PromotionPlace {
    let store: (any StoreBackend)?
    /// The store's service; nil where the overrides are in memory.
    let service: (any PromotionService)?
    let memory: PromotionMemory

    static var current: PromotionPlace {
        let core = StoreContext.current.core
        return PromotionPlace(
            store: core.setup.backend,
            service: core.setup.backend?.services.promotions,
            memory: core.promotions
        )
    }
}

extension PromotionService {
    /// Changes an override, and passes the handler the error that prevented the change, if any.
    func change(_ change: PromotionChange, _ handler: (((any Error)?) -> Void)?) {
        let handler = OneCall(handler)
        changePromotion(change) { handler.take()?($0?.error) }
    }
}

extension StoreBackend {
    /// Looks up products in the given order, leaving out those that are not sold any more.
    func describe(_ identifiers: [String], _ handler: (([SKProduct], (any Error)?) -> Void)?) {
        if identifiers.isEmpty {
            handler?([], nil)
            return
        }
        let handler = OneCall(handler)
        products(Set(identifiers)) { answer in
            switch answer {
            case .success(let answer):
                let products = Dictionary(answer.products.map { (ExactText($0.identifier), $0) }) { first, _ in first }
                handler.take()?(identifiers.compactMap { products[ExactText($0)].map(SKProduct.init) }, nil)
            case .failure(let failure):
                handler.take()?([], failure.error)
            }
        }
    }
}

/// A completion handler that is carried to the thread of the store's answer and called at most once.
private final class OneCall<Body>: @unchecked Sendable {
    // unchecked: the body is accessed only under the lock, and taking it transfers it to one caller.
    private let lock = NSLock()
    private var body: Body?

    init(_ body: Body?) { self.body = body }

    func take() -> Body? { lock.withLock { body.take() } }
}
