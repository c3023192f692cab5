import StoreCore

extension Figure {
    static let memoryPending = Figure(
        name: "memory.pending",
        summary: "bytes of a pending transaction, of 1,000,000",
        unit: "B/transaction",
        limit: 1.25,
        knownFloor: 184,
        isolation: .sample,
        growth: Growth(of: "pending transactions", unit: "B/transaction") { count in
            Growth.Probe { try .bytes(each: count, MemoryPending.pending) }
        }
    ) {
        Cases(
            floor: { try .bytes(each: count) { HandPending.purchased($0).queue } },
            value: { try .bytes(each: count, MemoryPending.pending) }
        )
    }

    private static let count = 1_000_000
}

/// The value: a queue with so many pending transactions, on a backend that stores nothing.
///
/// The function returns the objects that keep them alive.
private enum MemoryPending {
    static func pending(_ count: Int) throws -> AnyObject {
        let queue = SKPaymentQueue(backend: ForgetfulBackend(), delivery: .inline)
        let observer = StoreFinisher(keeps: true)
        queue.add(observer)
        for _ in 0..<count { queue.add(SKPayment(productIdentifier: "com.example.coins.100")) }
        try WrongCount.check(observer.received, of: count, "transactions are pending")
        return Kept(queue: queue, observer: observer)
    }

    private final class Kept {
        let queue: SKPaymentQueue
        let observer: StoreFinisher
        init(queue: SKPaymentQueue, observer: StoreFinisher) {
            self.queue = queue
            self.observer = observer
        }
    }
}
