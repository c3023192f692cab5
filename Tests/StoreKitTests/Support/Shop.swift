import StoreCore
import StoreKit

/// A store with a product of each kind, and a context to buy from it in.
struct Shop: Sendable {
    let store: SandboxStore
    let context: StoreContext

    init(
        _ delivery: StoreDelivery = .main,
        selling products: [SandboxProduct] = Self.products,
        log: StoreLog = .standardError
    ) throws {
        store = try SandboxStore(products: products, locale: "en_US", log: log)
        context = StoreContext(backend: store, delivery: delivery, log: .silent)
    }

    static let products: [SandboxProduct] = [
        .consumable("coins", price: "0.99"),
        .nonConsumable("sword", price: "4.99"),
        .nonRenewing("season", price: "9.99"),
        .autoRenewable("silver", price: "1.99", period: .init(1, .month), group: "club", level: 2),
        .autoRenewable("gold", price: "3.99", period: .init(1, .month), group: "club"),
    ]

    /// The ways in which callbacks can be delivered.
    static let deliveries: [StoreDelivery] = [.main, .inline]

    func run<R>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async rethrows -> R {
        try await context.run(body)
    }

    /// Buys a product, and returns what the purchase comes to.
    func buy(_ identifier: String, _ options: Set<Product.PurchaseOption> = []) async throws -> Product.PurchaseResult {
        try await run {
            guard let product = try await Product.products(for: [identifier]).first else {
                throw Product.PurchaseError.productUnavailable
            }
            return try await product.purchase(options: options)
        }
    }

    @discardableResult
    func bought(_ identifier: String, _ options: Set<Product.PurchaseOption> = []) async throws -> Transaction {
        guard case .success(let result) = try await buy(identifier, options) else { throw StoreKitError.userCancelled }
        return try result.payloadValue
    }

    /// Buys a product, finishes the transaction, and returns it.
    func finished(_ identifier: String) async throws -> Transaction {
        let transaction = try await bought(identifier)
        await run { await transaction.finish() }
        return transaction
    }

    var queue: SKPaymentQueue { context.run { SKPaymentQueue.default() } }
}

extension StoreLog {
    /// Returns a log that ends a stream when nothing holds it any more: its store is gone then.
    static func ending(_ stream: AsyncStream<Void>.Continuation) -> StoreLog {
        final class End: Sendable {
            private let stream: AsyncStream<Void>.Continuation
            init(_ stream: AsyncStream<Void>.Continuation) { self.stream = stream }
            deinit { stream.finish() }
        }
        let end = End(stream)
        return StoreLog { _ in withExtendedLifetime(end) {} }
    }
}

extension Product.PurchaseResult {
    var name: String {
        switch self {
        case .success: "success"
        case .userCancelled: "userCancelled"
        case .pending: "pending"
        }
    }
}

extension AsyncSequence where Failure == Never {
    /// Returns the first elements, and stops listening.
    func first(_ count: Int, isolation: isolated (any Actor)? = #isolation) async -> [Element] {
        var elements: [Element] = []
        if count == 0 { return elements }
        for await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }

    func all(isolation: isolated (any Actor)? = #isolation) async -> [Element] {
        var elements: [Element] = []
        for await element in self { elements.append(element) }
        return elements
    }
}

/// An observer of Store Kit 1 that finishes everything unless told otherwise, and keeps what it was told.
final class FinishingObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private let lines = Locked<[String]>([])
    private let finishes: Bool

    init(finishes: Bool = true) { self.finishes = finishes }

    var told: [String] { lines.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let state = transaction.transactionState
            lines.withLock { $0.append("\(transaction.payment.productIdentifier) \(state.rawValue)") }
            if finishes, state != .purchasing, state != .deferred { queue.finishTransaction(transaction) }
        }
    }
}

/// An observer of Store Kit 1 that keeps the products whose revocation it is told of.
final class RevocationObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private let products = Locked<[String]>([])
    /// The products, in the order of the callbacks.
    var heard: [String] { products.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) { products.withLock { $0 += productIdentifiers } }
}
