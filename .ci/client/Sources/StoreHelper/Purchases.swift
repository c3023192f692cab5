import StoreKit

/// What an app asks of the store, without a state of its own.
public enum Purchases {
    /// What can go wrong here.
    public enum Failure: Error, Equatable { case unverified, notSold }

    /// Buys a product; false if the user has cancelled, or must ask somebody.
    public static func buy(_ identifier: String) async throws -> Bool {
        guard let product = try await Product.products(for: [identifier]).first else { throw Failure.notSold }
        guard case .success(let result) = try await product.purchase() else { return false }
        try await checkVerified(result).finish()
        return true
    }

    /// Whether a product may be used now.
    public static func isEntitled(to identifier: String) async -> Bool {
        for await result in Transaction.currentEntitlements(for: identifier) {
            if let transaction = try? checkVerified(result), transaction.revocationDate == nil { return true }
        }
        return false
    }

    /// Asks the App Store again, and returns what may be used.
    public static func restore() async throws -> Set<String> {
        try await AppStore.sync()
        var restored: Set<String> = []
        for await result in Transaction.currentEntitlements { restored.insert(try checkVerified(result).productID) }
        return restored
    }

    /// Returns what the store has signed rightly.
    public static func checkVerified<Value>(_ result: VerificationResult<Value>) throws -> Value {
        switch result {
        case .verified(let value): return value
        case .unverified: throw Failure.unverified
        }
    }
}
