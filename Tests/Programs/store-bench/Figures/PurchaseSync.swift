/// A function that makes so many purchases and returns how many transactions were removed.
typealias Buy = (_ count: Int) throws -> Int

extension Figure {
    static let purchaseSync = Figure(
        name: "purchase.sync",
        summary: "add, purchasing, purchased, finish, removed; delivered inline",
        unit: "ns/purchase",
        limit: 6,
        dream: 4.5
    ) {
        Cases(
            floor: { try PurchaseSync.sample(of: 200_000, .floor) },
            value: { try PurchaseSync.sample(of: 200_000, .value) }
        )
    }
}

/// The value: a store in the process, a weak observer that finishes.
enum PurchaseSync {
    static func sample(of count: Int, _ side: Side) throws -> Sample {
        try .purchases(count, side == .floor ? HandFake.shop() : shop())
    }

    private static func shop() throws -> Buy {
        let shop = try StoreShop()
        return { shop.buy($0) }
    }
}

extension Sample {
    /// Measures nanoseconds per purchase.
    static func purchases(_ count: Int, _ buy: Buy) throws -> Sample {
        var done = 0
        let time = try Stopwatch.nanoseconds { done = try buy(count) }
        try WrongCount.check(done, of: count, "purchases were removed")
        return Sample(value: time / Double(count))
    }
}
