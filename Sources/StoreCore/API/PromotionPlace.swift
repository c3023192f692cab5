import Foundation

/// Where the overrides of the running code's context are kept: with its store, or in memory.
struct PromotionPlace {
    let store: (any StoreBackend)?
    let memory: PromotionMemory

    static var current: PromotionPlace {
        let core = StoreContext.current.core
        return PromotionPlace(store: core.setup.backend, memory: core.promotions)
    }
}

extension StoreBackend {
    /// Changes an override, and says what kept it from being changed.
    func change(_ change: PromotionChange, _ handler: (((any Error)?) -> Void)?) {
        let handler = OneCall(handler)
        changePromotion(change) { handler.take()?($0?.error) }
    }

    /// Describes products in an order; those that are not sold any more are left out.
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

/// A completion handler on its way to the thread of the store's answer, and gone after the first.
private final class OneCall<Body>: @unchecked Sendable {
    // unchecked: the body is touched only under the lock, and whoever takes it is the only one who has it.
    private let lock = NSLock()
    private var body: Body?

    init(_ body: Body?) { self.body = body }

    func take() -> Body? { lock.withLock { body.take() } }
}
