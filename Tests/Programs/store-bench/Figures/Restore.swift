import StoreCore

extension Figure {
    static let restore = Figure(
        name: "restore",
        summary: "restoring 1,000,000 transactions, kept until finished",
        unit: "ms",
        limit: 1.5,
        isolation: .sample,
        growth: Growth(of: "transactions", unit: "ns/transaction") { count in
            Growth.Probe { try sample(of: count, RestoreAll.restore(count)).each(of: count) }
        }
    ) {
        Cases(
            floor: { try sample(of: count) { HandRestore.run(count) } },
            value: { try sample(of: count, RestoreAll.restore(count)) }
        )
    }

    private static let count = 1_000_000

    private static func sample(of count: Int, _ restore: () throws -> Int) throws -> Sample {
        try .milliseconds(of: count, "transactions were finished", restore)
    }
}

/// The value: a store with so many past purchases, made before the clock starts.
///
/// The returned function restores them, keeps them pending to the end, frees them all, and returns their number.
enum RestoreAll {
    static func restore(_ count: Int) throws -> () throws -> Int {
        let shop = try StoreShop()
        for _ in 0..<count { shop.queue.add(SKPayment(productIdentifier: "com.example.castle")) }
        shop.queue.remove(shop.observer)
        let store = shop.store
        return {
            // A separate queue: its pending transactions are freed with it.
            let queue = SKPaymentQueue(backend: store, delivery: .inline)
            let observer = StoreFinisher(keeps: true)
            queue.add(observer)
            queue.restoreCompletedTransactions()
            return min(observer.received, queue.transactions.count)
        }
    }
}
