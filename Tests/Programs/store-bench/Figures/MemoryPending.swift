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
            Growth.Probe { try sample(of: count, MemoryPending.pending) }
        }
    ) {
        Cases(
            floor: { try sample(of: count) { HandPending.purchased($0).queue } },
            value: { try sample(of: count, MemoryPending.pending) }
        )
    }

    private static let count = 1_000_000

    private static func sample(of count: Int, _ make: (Int) throws -> AnyObject) throws -> Sample {
        // Objects that are set up once in a process are not a transaction's.
        _ = try make(1_000)
        let before = try Heap.bytesInUse()
        let kept = try make(count)
        let after = try Heap.bytesInUse()
        return withExtendedLifetime(kept) { Sample(value: Double(after - before) / Double(count)) }
    }
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
