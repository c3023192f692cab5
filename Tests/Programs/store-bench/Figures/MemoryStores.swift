import StoreCore

extension Figure {
    static let memoryStores = Figure(
        name: "memory.stores",
        summary: "bytes of a test's store with queue, observer and four purchases, of 1,000, beside fakes by hand",
        unit: "B/store",
        limit: 12,
        isolation: .sample,
        growth: Growth(of: "stores", unit: "B/store", sizes: [10, 100, 1_000, 10_000]) { count in
            Growth.Probe { try .bytes(each: count, MemoryStores.stores) }
        }
    ) {
        Cases(
            floor: { try .bytes(each: count, HandShop.shops) },
            value: { try .bytes(each: count, MemoryStores.stores) }
        )
    }

    private static let count = 1_000
}

/// The value: stores as a test makes them, each of which has sold four things, one of them not finished yet.
private enum MemoryStores {
    static func stores(_ count: Int) throws -> [AnyObject] {
        try (0..<count).map { _ in
            let shop = try Shop()
            shop.buy()
            try WrongCount.check(shop.finisher.removed, of: 3, "purchases were removed")
            try WrongCount.check(shop.queue.transactions.count, of: 1, "purchases are pending")
            return shop
        }
    }

    private final class Shop {
        let store: SandboxStore
        let queue: SKPaymentQueue
        let finisher = StoreFinisher()
        let keeper = StoreFinisher(keeps: true)

        init() throws {
            store = try SandboxStore(products: [
                .consumable("com.example.coins.100", price: "0.99"),
                .nonConsumable("com.example.castle", price: "9.99"),
                .autoRenewable("com.example.premium", price: "4.99", period: .init(1, .month), group: "premium"),
            ])
            queue = SKPaymentQueue(backend: store, delivery: .inline)
        }

        func buy() {
            queue.add(finisher)
            for product in ["com.example.coins.100", "com.example.castle", "com.example.premium"] {
                queue.add(SKPayment(productIdentifier: product))
            }
            queue.remove(finisher)
            queue.add(keeper)
            queue.add(SKPayment(productIdentifier: "com.example.coins.100"))
        }
    }
}
