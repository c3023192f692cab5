import StoreCore
import StoreKit

/// A test's own store, and the context that an app runs in with it.
struct Shop: Sendable {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("coins", price: "0.99"),
                .nonConsumable("map", price: "4.99"),
                .autoRenewable("pass", price: "2.99", period: .init(1, .month), group: "passes"),
            ],
            locale: "en_US"
        )
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    func run<R>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async rethrows -> R {
        try await context.run(body)
    }

    /// Ends the launch, and begins the next.
    func relaunch() { _ = context.run { SKPaymentQueue.default().relaunch() } }

    /// Answers the question that a child has asked.
    func approve() throws {
        for question in store.undecidedRequests { try store.approve(question) }
    }

    func refund(_ product: String) throws {
        for sale in try store.transactions where sale.productIdentifier == product { try store.refund(sale.id) }
    }
}
