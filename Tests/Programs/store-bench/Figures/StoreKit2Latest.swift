import StoreCore
import StoreKit

extension Figure {
    static let storeKit2Latest = Figure(
        name: "sk2.latest",
        summary: "the last of 100,000 purchases of a product, beside the last of 10",
        unit: "ns/reading",
        limit: 1.2,
        growth: Growth(of: "purchases of the product", unit: "ns/reading") { purchases in
            let store = try StoreKit2Latest(purchases: purchases)
            return Growth.Probe { try await store.sample() }
        }
    ) {
        let short = try StoreKit2Latest(purchases: 10)
        let long = try StoreKit2Latest(purchases: 100_000)
        return Cases(floor: { try await short.sample() }, value: { try await long.sample() })
    }
}

/// A store with a history, which Store Kit 1 has bought.
private struct StoreKit2Latest {
    static let season = "com.example.season"
    let context: StoreContext

    init(purchases: Int) throws {
        let store = try SandboxStore(products: [.nonRenewing(Self.season, price: "4.99")])
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

    @concurrent func sample() async throws -> Sample {
        let count = 10_000
        return try await context.run {
            // The store takes in what is new once, at the first reading.
            _ = await Transaction.latest(for: Self.season)
            return try await .nanoseconds(each: count, "transactions were read") {
                var done = 0
                for _ in 0..<count where await Transaction.latest(for: Self.season) != nil { done += 1 }
                return done
            }
        }
    }
}
