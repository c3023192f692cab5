import StoreCore
import StoreKit
import Testing

/// Apps listen to updates in a detached task that begins at their launch.
@Suite struct DetachedListenerTests {
    /// An app that listens as Apple's samples do.
    private actor App {
        private(set) var delivered: [String] = []
        private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        private var listener: Task<Void, Never>?

        func launch() {
            listener = Task.detached { [weak self] in
                for await result in Transaction.updates {
                    guard case .verified(let transaction) = result else { continue }
                    // A call behind a suspension.
                    let latest = await Transaction.latest(for: transaction.productID)
                    await transaction.finish()
                    await self?.deliver(transaction.productID, isKnown: latest != nil)
                }
            }
        }

        private func deliver(_ product: String, isKnown: Bool) {
            delivered.append(isKnown ? product : "unknown")
            if let waiting, delivered.count >= waiting.count {
                self.waiting = nil
                waiting.continuation.resume()
            }
        }

        func delivered(_ count: Int) async -> [String] {
            if delivered.count < count { await withCheckedContinuation { waiting = (count, $0) } }
            return delivered
        }

        func end() { listener?.cancel() }
    }

    @Test(arguments: Shop.deliveries)
    func `A detached task that begins in a context listens to its store`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let app = App()
        await shop.run { await app.launch() }
        _ = try shop.store.account.buy("coins")
        #expect(await app.delivered(1) == ["coins"])
        let sword = try await shop.bought("sword")
        await sword.finish()
        try shop.store.refund(String(sword.id))
        #expect(await app.delivered(2) == ["coins", "sword"])
        await app.end()
    }

    @Test func `Apps of stores side by side each listen to their own`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, product) in ["coins", "sword", "season"].enumerated() {
                group.addTask {
                    let shop = try Shop(Shop.deliveries[number % 2])
                    let app = App()
                    await shop.run { await app.launch() }
                    for _ in 0..<3 { _ = try shop.store.account.buy(product == "sword" ? "coins" : product) }
                    #expect(Set(await app.delivered(3)).count == 1)
                    await app.end()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `A detached task that listens to statuses hears its context's store`() async throws {
        let shop = try Shop(.inline)
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let listener = shop.context.run {
            Task.detached {
                var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
                continuation.finish()
                return await statuses.next()?.state
            }
        }
        for await _ in begun {}
        try await shop.bought("gold")
        #expect(await listener.value == .subscribed)
    }
}
