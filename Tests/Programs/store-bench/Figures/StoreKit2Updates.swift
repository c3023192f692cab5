import Foundation
import StoreCore
import StoreKit

extension Figure {
    static let storeKit2Updates = Figure(
        name: "sk2.updates",
        summary: "10,000 renewals through Transaction.updates, beside a stream of ready transactions",
        unit: "ns/renewal",
        limit: 2
    ) {
        Cases(floor: { try await StoreKit2Updates.floor() }, value: { try await StoreKit2Updates.value() })
    }
}

/// The value: a daily subscription that has been renewed, and whose renewals are then taken out of the sequence.
private enum StoreKit2Updates {
    static let count = 10_000

    @concurrent static func floor() async throws -> Sample {
        try await withUpdates(renewals: 1) { updates in
            guard let ready = await updates.next(isolation: nil) else { throw StoreKitError.unknown }
            let (stream, continuation) = AsyncStream<VerificationResult<Transaction>>.makeStream()
            for _ in 0..<count { continuation.yield(ready) }
            var iterator = stream.makeAsyncIterator()
            return try await sample(&iterator)
        }
    }

    @concurrent static func value() async throws -> Sample {
        try await withUpdates(renewals: count) { try await sample(&$0) }
    }

    /// Calls a body with an iteration over updates that has begun before so many renewals.
    private static func withUpdates(
        renewals: Int,
        _ body: (inout Transaction.Transactions.AsyncIterator) async throws -> Sample
    ) async throws -> Sample {
        let clock = ManualClock()
        let store = try SandboxStore(
            products: [.autoRenewable("com.example.pro", price: "4.99", period: .init(1, .day), group: "pro")],
            clock: clock
        )
        return try await StoreContext(backend: store, delivery: .inline).run {
            guard let product = try await Product.products(for: ["com.example.pro"]).first,
                case .success(.verified(let transaction)) = try await product.purchase()
            else { throw StoreKitError.unknown }
            await transaction.finish()
            var updates = Transaction.updates.makeAsyncIterator()
            // The synchronous one: nothing waits for callbacks.
            func renew() { clock.advance(by: Double(renewals) * 86_400) }
            renew()
            return try await body(&updates)
        }
    }

    private static func sample<Iterator: AsyncIteratorProtocol>(
        _ iterator: inout Iterator
    ) async throws -> Sample where Iterator.Element == VerificationResult<Transaction>, Iterator.Failure == Never {
        try await .nanoseconds(each: count, "renewals were read") {
            var done = 0
            while done < count, let result = await iterator.next(isolation: nil) {
                if case .verified = result { done += 1 }
            }
            return done
        }
    }
}
