import StoreKit
import StoreSimulator

/// An app with a mistake: it finishes each transaction before it stores the delivery.
///
/// A process that ends between the two has nothing to show for the money.
@MainActor
final class HastyShop {
    private let storage: AppStorage
    private var updates: Task<Void, Never>?

    init(storage: AppStorage) {
        self.storage = storage
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    /// The number of items that the app has delivered.
    var delivered: Int { storage["delivered", default: [UInt64: Int]()].values.reduce(0, +) }

    func buy(_ identifier: String) async throws {
        guard let product = try await Product.products(for: [identifier]).first else { return }
        if case .success(let result) = try await product.purchase() { await take(result) }
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        await transaction.finish()
        var delivered: [UInt64: Int] = storage["delivered", default: [:]]
        delivered[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
        storage["delivered"] = delivered
    }
}
