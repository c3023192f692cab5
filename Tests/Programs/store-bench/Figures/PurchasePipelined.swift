import Foundation
import StoreCore

extension Figure {
    static let purchasePipelined = Figure(
        name: "purchase.pipelined",
        summary: "the same, delivered on a dispatch queue, 100,000 outstanding",
        unit: "ns/purchase",
        limit: 5,
        dream: 4
    ) {
        Cases(
            floor: { try .purchases(100_000, HandFake.shop()) },
            value: { try .purchases(100_000, PurchasePipelined.shop()) }
        )
    }
}

/// The value: adds all payments before it waits for the first, and returns when the last has been removed.
private enum PurchasePipelined {
    static func shop() throws -> Buy {
        let shop = try StoreShop(delivery: .queue(DispatchQueue(label: "store-bench.observer")))
        return { count in
            let before = shop.observer.removed
            _ = shop.buy(count)
            shop.queue.settle()
            return shop.observer.removed - before
        }
    }
}
