import StoreKit

/// The app's store: one actor, which listens from the launch on.
public actor Store {
    /// What a purchase comes to.
    public enum Outcome: Equatable, Sendable { case bought, pending, cancelled }

    /// What is owned, each time that it has changed.
    public nonisolated let changes: AsyncStream<Set<String>>
    /// What is owned now.
    public private(set) var owned: Set<String> = []

    private let teller: AsyncStream<Set<String>>.Continuation
    private var listener: Task<Void, Never>?

    /// Makes a store that does not listen yet.
    public init() { (changes, teller) = AsyncStream.makeStream() }

    deinit {
        listener?.cancel()
        teller.finish()
    }

    /// Begins to listen, and reads what is owned already.
    public func start() async {
        guard listener == nil else { return }
        listener = Task { [weak self] in
            for await update in Transaction.updates { await self?.take(update) }
        }
        for await entitlement in Transaction.currentEntitlements {
            if case .verified(let transaction) = entitlement { owned.insert(transaction.productID) }
        }
    }

    /// What of these is sold, the cheapest first.
    public func products(_ identifiers: [String]) async throws -> [Product] {
        try await Product.products(for: identifiers).sorted { $0.price < $1.price }
    }

    /// Buys a product, and delivers it.
    public func buy(_ product: Product) async throws -> Outcome {
        switch try await product.purchase() {
        case .success(let result):
            await deliver(try result.payloadValue)
            return .bought
        case .pending: return .pending
        case .userCancelled: return .cancelled
        @unknown default: return .cancelled
        }
    }

    private func take(_ update: VerificationResult<Transaction>) async {
        // What is not verified stays unfinished: it comes again at the next launch.
        guard case .verified(let transaction) = update else { return }
        await deliver(transaction)
    }

    private func deliver(_ transaction: Transaction) async {
        if transaction.revocationDate == nil {
            owned.insert(transaction.productID)
        } else {
            owned.remove(transaction.productID)
        }
        await transaction.finish()
        teller.yield(owned)
    }
}
