import Foundation
import StoreCore

extension Figure {
    static let purchaseContendedQueue = Figure(
        name: "purchase.contended.queue",
        summary: "4 threads that buy on one queue, beside the fake behind one lock",
        unit: "ns/purchase",
        limit: 9
    ) {
        Cases(
            floor: { try .purchases(onThreads: Contention.fake()) },
            value: { try .purchases(onThreads: Contention.queue()) }
        )
    }

    static let purchaseContendedStore = Figure(
        name: "purchase.contended.store",
        summary: "4 threads with a queue each on one store, beside the fake behind one lock",
        unit: "ns/purchase",
        limit: 9
    ) {
        Cases(
            floor: { try .purchases(onThreads: Contention.fake()) },
            value: { try .purchases(onThreads: Contention.store()) }
        )
    }
}

/// A shop that several threads buy from at once.
private enum Contention {
    static let threads = 4
    static let purchases = 50_000

    /// A purchase on the thread with a number, and the total number of removed transactions.
    struct Shop {
        let buy: @Sendable (_ thread: Int, _ count: Int) -> Void
        let removed: () -> Int
    }

    /// The floor: a whole purchase at a time under one lock.
    static func fake() -> Shop {
        let shop = LockedFake()
        return Shop(buy: { _, count in for _ in 0..<count { shop.buy() } }, removed: { shop.removed })
    }

    static func queue() throws -> Shop {
        let shop = try StoreShop()
        let (queue, observer) = (shop.queue, shop.observer)
        return Shop(
            buy: { _, count in
                for _ in 0..<count { queue.add(SKPayment(productIdentifier: StoreShop.coins)) }
            },
            // The last callbacks may be made by another thread than the last buyer.
            removed: {
                queue.settle()
                return observer.removed
            }
        )
    }

    static func store() throws -> Shop {
        let store = try StoreShop.makeStore()
        let devices = try (0..<threads).map { try store.addDevice("device \($0)", signedInTo: store.account) }
        let queues = devices.map { SKPaymentQueue(backend: $0, delivery: .inline) }
        let observers = queues.map { queue in
            let observer = StoreFinisher()
            queue.add(observer)
            return observer
        }
        return Shop(
            buy: { thread, count in
                for _ in 0..<count { queues[thread].add(SKPayment(productIdentifier: StoreShop.coins)) }
            },
            removed: { observers.reduce(0) { $0 + $1.removed } }
        )
    }
}

/// The hand fake, used by one thread at a time.
private final class LockedFake: @unchecked Sendable {  // unchecked: everything is used with the lock held
    private let lock = NSLock()
    private let queue = HandFake()
    private let observer = HandFinisher()

    init() { queue.add(observer) }

    var removed: Int { lock.withLock { observer.removed } }
    func buy() { lock.withLock { queue.add(HandPayment(productIdentifier: "com.example.coins.100")) } }
}

extension Sample {
    /// Measures nanoseconds per purchase, by the wall clock, of threads that begin together.
    fileprivate static func purchases(onThreads shop: Contention.Shop) throws -> Sample {
        let done = DispatchGroup()
        let start = DispatchSemaphore(value: 0)
        let buy = shop.buy
        for number in 0..<Contention.threads {
            done.enter()
            Thread.detachNewThread {
                start.wait()
                buy(number, Contention.purchases)
                done.leave()
            }
        }
        let count = Contention.threads * Contention.purchases
        let time = Stopwatch.nanoseconds {
            for _ in 0..<Contention.threads { start.signal() }
            done.wait()
        }
        try WrongCount.check(shop.removed(), of: count, "purchases were removed")
        return Sample(value: time / Double(count))
    }
}
