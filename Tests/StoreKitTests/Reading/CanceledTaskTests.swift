import StoreCore
import StoreKit
import Testing

@Suite struct CanceledTaskTests {
    private func canceled<R: Sendable>(_ shop: Shop, _ body: @escaping @Sendable () async throws -> R) async throws -> R
    {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await shop.run { try await body() }
        }
        return try await task.value
    }

    @Test(arguments: Shop.deliveries)
    func `A7: A task that is canceled reads nothing, without an error`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let gold = try await shop.bought("gold")
        await gold.finish()
        #expect(try await canceled(shop) { await Transaction.currentEntitlements.all() }.isEmpty)
        #expect(try await canceled(shop) { await Transaction.latest(for: "gold") } == nil)
        #expect(try await canceled(shop) { try await Product.SubscriptionInfo.status(for: "club") }.isEmpty)
        #expect(try await canceled(shop) { try await Product.SubscriptionInfo.status(transactionID: gold.id) } == nil)
        #expect(try await canceled(shop) { await gold.subscriptionStatus } == nil)
        #expect(try await canceled(shop) { try await Product.products(for: ["gold"]) }.isEmpty)
    }

    @Test func `A7: A task canceled while the store has not answered reads nothing, without an error`() async throws {
        let store = SlowStore()
        let task = StoreContext(backend: store, delivery: .inline, log: .silent).run {
            Task { try await Product.products(for: ["gold"]) }
        }
        await store.isAsked()
        task.cancel()
        #expect(try await task.value.isEmpty)
    }

    @Test(arguments: Shop.deliveries)
    func `A7: A canceled task reads eligibility for an introductory offer too`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        #expect(try await canceled(shop) { await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club") })
    }
}

/// A store that never answers which products it has.
private final class SlowStore: StoreBackend {
    private let asked = AsyncStream<Void>.makeStream()

    func isAsked() async { for await _ in asked.stream { return } }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {}
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {}
    func disconnect(_ receiver: any StoreUpdateReceiver) {}
    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) { asked.continuation.yield() }
}
