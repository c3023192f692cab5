import StoreCore
import StoreKit

extension Figure {
    static let storeKit2Purchase = Figure(
        name: "sk2.purchase",
        summary: "purchase() and finish(); the floor is 1.5 purchases of Store Kit 1 and a task switch",
        unit: "ns/purchase",
        limit: 1
    ) {
        Cases(floor: { try await StoreKit2Purchase.floor() }, value: { try await StoreKit2Purchase.value() })
    }
}

enum StoreKit2Purchase {
    private static let count = 100_000

    @MainActor static func floor() async throws -> Sample {
        let purchase = try PurchaseSync.sample(of: count, .value)
        return Sample(value: 1.5 * purchase.value + (await taskSwitch()))
    }

    @MainActor static func value() async throws -> Sample {
        let buy = try await shop { _ in 1 }
        return try await .nanoseconds(each: count, "purchases were finished") { try await buy(count) }
    }

    /// Creates a shop with a consumable, as a closure that buys, finishes and reads so many.
    @MainActor static func shop(reading read: @escaping (Transaction) -> Int) async throws -> Counted.Work {
        let context = try StoreContext(backend: StoreShop.makeStore(), delivery: .inline)
        guard let product = try await context.run({ try await Product.products(for: [StoreShop.coins]).first }) else {
            throw StoreKitError.unknown
        }
        return { count in
            try await context.run {
                var done = 0
                for _ in 0..<count {
                    guard case .success(.verified(let transaction)) = try await product.purchase() else { continue }
                    await transaction.finish()
                    done += read(transaction)
                }
                return done
            }
        }
    }

    /// Measures nanoseconds per switch between tasks.
    @concurrent private static func taskSwitch() async -> Double {
        let time = await Stopwatch.nanoseconds {
            for _ in 0..<count { await Task.yield() }
        }
        return time / Double(count)
    }
}
