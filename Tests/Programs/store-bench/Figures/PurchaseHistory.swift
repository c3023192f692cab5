extension Figure {
    static let purchaseHistory = Figure(
        name: "purchase.history",
        summary: "a purchase with 1,000,000 past ones in the store, beside one with 1,000",
        unit: "ns/purchase",
        limit: 1.2,
        growth: PurchaseHistory.growth
    ) {
        let large = try PurchaseHistory.Store()
        return Cases(
            floor: { try PurchaseHistory.small() },
            value: { try PurchaseHistory.sample(of: large, past: 1_000_000, purchases: 50_000) }
        )
    }
}

/// The value and its floor are the same store, with a long past and with a short one.
private enum PurchaseHistory {

    /// A store that keeps every purchase, and its past ones.
    final class Store {
        let buy: Buy
        var past = 0

        init() throws { buy = try StoreShop().buy }
    }

    /// Adds past purchases, times purchases together, and again one by one.
    ///
    /// The slowest one is determined among the past purchases too: a store may be quick on average and stop now and
    /// then to move everything it has.
    static func sample(of store: Store, past: Int, purchases: Int) throws -> Sample {
        var worst = 0.0
        func buySingly(_ count: Int) throws {
            guard count > 0 else { return }
            var done = 0
            worst = max(worst, try Stopwatch.longest(of: count) { done += try store.buy(1) })
            try WrongCount.check(done, of: count, "purchases were removed")
            store.past += count
        }
        try buySingly(past - store.past)
        var sample = try Sample.purchases(purchases, store.buy)
        store.past += purchases
        try buySingly(purchases)
        sample.worst = worst
        return sample
    }

    static let growth = Growth(of: "past purchases", unit: "ns/purchase") { past in
        Growth.Probe { try sample(of: Store(), past: past, purchases: 1_000) }
    }

    /// Creates fifty fresh stores, for as many purchases as the large one makes with a short past.
    static func small() throws -> Sample {
        let samples = try (0..<50).map { _ in try sample(of: Store(), past: 1_000, purchases: 1_000) }
        return Sample(
            value: samples.reduce(0) { $0 + $1.value } / Double(samples.count),
            worst: samples.compactMap(\.worst).max()
        )
    }
}
