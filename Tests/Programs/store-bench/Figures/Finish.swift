import StoreCore

extension Figure {
    static let finishInOrder = Figure(
        name: "finish.inorder",
        summary: "finishing 1,000,000 pending, oldest first, beside 1,000",
        unit: "ns/finish",
        limit: 1.3,
        growth: FinishPending.growth(order: FinishPending.oldestFirst)
    ) {
        FinishPending.cases(order: FinishPending.oldestFirst)
    }

    static let finishRandom = Figure(
        name: "finish.random",
        summary: "finishing 1,000,000 pending in random order, beside 1,000",
        unit: "ns/finish",
        limit: 3,
        growth: FinishPending.growth(order: FinishPending.random)
    ) {
        FinishPending.cases(order: FinishPending.random)
    }
}

/// The value and its floor are the same queue, with many pending and with few.
enum FinishPending {
    static let oldestFirst: @Sendable (Int) -> [Int] = { Array(0..<$0) }

    static let random: @Sendable (Int) -> [Int] = { count in
        var random = SplitMix64(seed: 1)
        return (0..<count).shuffled(using: &random)
    }

    /// Creates a queue with as many purchased and unfinished transactions as there are places in the order.
    ///
    /// The returned function finishes so many of them in this order and returns how many were removed. It retains them,
    /// already in order, so that no look-up and no deallocation is timed.
    static func pending(finishedIn order: [Int]) throws -> Buy {
        let shop = try StoreShop(keeps: true)
        _ = shop.buy(order.count)
        let transactions = shop.queue.transactions
        let ordered = order.map { transactions[$0] }
        return { count in
            for transaction in ordered.prefix(count) { shop.queue.finishTransaction(transaction) }
            return shop.observer.removed
        }
    }

    fileprivate static func cases(order: (Int) -> [Int]) -> Cases {
        let short = order(1_000)
        let long = order(1_000_000)
        return Cases(floor: { try sample(short, times: 100) }, value: { try sample(long, times: 1) })
    }

    fileprivate static func growth(order: @escaping @Sendable (Int) -> [Int]) -> Growth {
        Growth(of: "pending transactions", unit: "ns/finish") { count in
            let order = order(count)
            return Growth.Probe { try sample(order, times: max(1, 100_000 / count)) }
        }
    }

    private static func sample(_ order: [Int], times: Int) throws -> Sample {
        var time = 0.0
        for _ in 0..<times {
            let finish = try pending(finishedIn: order)
            var removed = 0
            time += try Stopwatch.nanoseconds { removed = try finish(order.count) }
            try WrongCount.check(removed, of: order.count, "transactions were removed")
        }
        return Sample(value: time / Double(times * order.count))
    }
}
