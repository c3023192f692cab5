import StoreCore
import StoreKit

extension Figure {
    static let testPurchases = Figure(
        name: "test.purchases",
        summary: "a test with a store of its own and a hundred purchases of Store Kit 2, beside a hand fake",
        unit: "ms/test",
        // That of a debug build; in release it is a third.
        limit: 150
    ) {
        Cases(
            floor: { try await TestPurchases.sample { try HandFake.shop()(TestPurchases.count) } },
            value: { try await TestPurchases.sample(TestPurchases.test) }
        )
    }
}

/// The value: what a test does that makes a store, asks for a product, buys it and finishes.
///
/// A debug build measures what a test costs, which is built for debugging too.
private enum TestPurchases {
    static let count = 100
    private static let tests = 20

    @MainActor static func sample(_ test: @MainActor () async throws -> Int) async throws -> Sample {
        var done = 0
        let time = try await Stopwatch.nanoseconds {
            for _ in 0..<tests { done += try await test() }
        }
        try WrongCount.check(done, of: tests * count, "purchases were finished")
        return Sample(value: time / Double(tests) / 1_000_000)
    }

    @MainActor static func test() async throws -> Int {
        let buy = try await StoreKit2Purchase.shop { _ in 1 }
        return try await buy(count)
    }
}
