import StoreKit

/// The till of Store Kit 2.
public final class ModernTill: Till {
    /// The products that came without being waited for.
    public let deliveries: AsyncStream<String>
    private let listener: Task<Void, Never>

    /// Begins to listen.
    public init() {
        let (deliveries, teller) = AsyncStream<String>.makeStream()
        self.deliveries = deliveries
        listener = Task {
            for await case .verified(let transaction) in Transaction.updates {
                await transaction.finish()
                if transaction.revocationDate == nil { teller.yield(transaction.productID) }
            }
            teller.finish()
        }
    }

    deinit { listener.cancel() }

    /// Buys one of a product.
    public func buy(_ product: String) async throws -> Sale {
        guard let product = try await Product.products(for: [product]).first else {
            throw Product.PurchaseError.productUnavailable
        }
        switch try await product.purchase() {
        case .success(let result):
            try await result.payloadValue.finish()
            return .sold
        case .pending: return .waiting
        case .userCancelled: return .cancelled
        @unknown default: return .cancelled
        }
    }
}
