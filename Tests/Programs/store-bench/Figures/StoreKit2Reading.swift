import StoreCore
import StoreKit

extension Figure {
    static let storeKit2Latest = StoreKit2Reading.figure(
        "sk2.latest",
        "the last of 100,000 purchases of a product, beside the last of 10",
        sizes: [10, 100_000]
    ) { try await $0.sample(of: 10_000) { await Transaction.latest(for: StoreKit2Reading.season) != nil } }

    static let storeKit2Entitlements = StoreKit2Reading.figure(
        "sk2.entitlements",
        "what an account with 100,000 purchases may use, beside one with 10",
        sizes: [10, 100_000]
    ) { store in
        try await store.sample(of: 10_000) {
            var entitlements = Transaction.currentEntitlements.makeAsyncIterator()
            return await entitlements.next(isolation: nil) != nil
        }
    }

    static let storeKit2History = StoreKit2Reading.figure(
        "sk2.history",
        "a purchase and the newest 20 of 1,000,000 transactions after it, beside those of 1,000",
        sizes: [1_000, 1_000_000]
    ) { store in
        try await store.sample(of: 500) {
            guard store.buy() else { return false }
            var history = Transaction.all.makeAsyncIterator()
            for _ in 0..<20 {
                guard await history.next(isolation: nil) != nil else { return false }
            }
            return true
        }
    }
}

/// A store with a history, which Store Kit 1 has bought.
private struct StoreKit2Reading {
    static let season = "com.example.season"
    private let store: SandboxStore
    private let context: StoreContext

    init(purchases: Int) throws {
        store = try SandboxStore(products: [.nonRenewing(Self.season, price: "4.99")])
        context = StoreContext(backend: store, delivery: .inline)
        let observer = StoreFinisher()
        context.run {
            let queue = SKPaymentQueue.default()
            queue.add(observer)
            for _ in 0..<purchases { queue.add(SKPayment(productIdentifier: Self.season)) }
            queue.remove(observer)
        }
        try WrongCount.check(observer.removed, of: purchases, "purchases were removed")
    }

    /// Buys outside the app; returns whether the store has sold.
    func buy() -> Bool { (try? store.account.buy(Self.season)) != nil }

    /// Times so many readings, each of which returns whether it has found what it looked for.
    @concurrent func sample(of count: Int, _ isRead: () async -> Bool) async throws -> Sample {
        try await context.run {
            // The store takes in what is new once, at the first reading.
            _ = await isRead()
            return try await .nanoseconds(each: count, "readings found what they looked for") {
                var done = 0
                for _ in 0..<count where await isRead() { done += 1 }
                return done
            }
        }
    }

    /// Creates a figure of one kind of reading, from a store of each of two sizes.
    static func figure(
        _ name: String,
        _ summary: String,
        sizes: [Int],
        _ sample: @escaping @Sendable (StoreKit2Reading) async throws -> Sample
    ) -> Figure {
        Figure(
            name: name,
            summary: summary,
            unit: "ns/reading",
            limit: 1.2,
            growth: Growth(of: "purchases of the product", unit: "ns/reading") { purchases in
                let store = try StoreKit2Reading(purchases: purchases)
                return Growth.Probe { try await sample(store) }
            }
        ) {
            let (short, long) = try (StoreKit2Reading(purchases: sizes[0]), StoreKit2Reading(purchases: sizes[1]))
            return Cases(floor: { try await sample(short) }, value: { try await sample(long) })
        }
    }
}
