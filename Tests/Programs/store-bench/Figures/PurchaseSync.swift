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
        try .purchases(count, side == .floor ? HandFake.shop() : StoreShop().buy)
    }
}

extension Sample {
    static func purchases(_ count: Int, _ buy: Buy) throws -> Sample {
        try .nanoseconds(each: count, "purchases were removed") { try buy(count) }
    }
}
