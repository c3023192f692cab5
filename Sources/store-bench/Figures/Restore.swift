extension Figure {
    static let restore = Figure(
        name: "restore",
        summary: "restoring 1,000,000 transactions, kept until finished",
        unit: "ms",
        limit: 1.5,
        isolation: .sample
    ) {
        Cases(
            floor: { try sample { HandRestore.run(count) } },
            value: { try sample(RestoreAll.restore(count)) }
        )
    }

    private static let count = 1_000_000

    private static func sample(_ restore: () throws -> Int) throws -> Sample {
        var finished = 0
        let time = try Stopwatch.milliseconds { finished = try restore() }
        try WrongCount.check(finished, of: count, "transactions were finished")
        return Sample(value: time)
    }
}

/// The value: a store with so many past purchases, made before the clock starts; what it returns restores them, then
/// finishes them, and says how many were finished.
private enum RestoreAll {
    static func restore(_ count: Int) throws -> () throws -> Int {
        { HandRestore.run(count) }
    }
}
