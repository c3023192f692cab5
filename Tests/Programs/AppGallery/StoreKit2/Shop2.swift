import StoreKit
import StoreSimulator

/// A right shop on Store Kit 2, of which faulty ones override what they do wrong.
@MainActor class Shop2: GalleryApp {
    let storage: AppStorage
    private var updates: Task<Void, Never>?
    private var refunds: Task<Void, Never>?

    required init(_ launch: AppLaunch) async {
        storage = launch.storage
        listen()
    }

    deinit {
        updates?.cancel()
        refunds?.cancel()
    }

    /// Begins to listen for transactions that come by themselves, and looks for what was refunded since the last launch.
    func listen() {
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
        refunds = Task { [weak self] in
            for await case .verified(let transaction) in Transaction.all where transaction.revocationDate != nil {
                self?.keep(transaction)
            }
        }
    }

    func buy(_ product: String) async throws {
        guard let product = try await Product.products(for: [product]).first else { return }
        await handle(try await product.purchase(), of: product)
    }

    /// Handles a purchase's outcome.
    func handle(_ result: Product.PurchaseResult, of product: Product) async {
        if case .success(let result) = result { await take(result) }
    }

    func restore() async throws { try await AppStore.sync() }

    var swords: Int { storage["delivered", default: [UInt64: Int]()].values.reduce(0, +) }

    func has(_ product: String) async -> Bool {
        for await case .verified in Transaction.currentEntitlements(for: product) { return true }
        return false
    }

    /// Takes a transaction whose signature is right, and finishes it.
    func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        keep(transaction)
        await transaction.finish()
    }

    /// The subscribers' gifts, by the first transaction of each subscription.
    var gifts: Int { storage["gifts", default: Set<UInt64>()].count }

    /// Keeps what was paid for, once for each transaction; nothing of what is revoked.
    func keep(_ transaction: Transaction) {
        if transaction.productType == .autoRenewable {
            storage["gifts"] = storage["gifts", default: Set<UInt64>()].union([transaction.originalID])
        }
        guard transaction.productID == "sword" else { return }
        var delivered: [UInt64: Int] = storage["delivered", default: [:]]
        delivered[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
        storage["delivered"] = delivered
    }
}
