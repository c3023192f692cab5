import Foundation
import StoreKit

// Store Kit 2 for code that does not await. Completion handlers are called on the main actor.
package final class CallbackStore: @unchecked Sendable {
    package struct Purchase: Equatable, Sendable {
        package let productID: String
        package let transactionID: UInt64
        package let expirationDate: Date?
        package let isRevoked: Bool
        package let isRenewal: Bool
    }

    package struct Item: Equatable, Sendable {
        package let id: String
        package let name: String
        package let price: String
    }

    package enum Failure: Error, Equatable, Sendable {
        case unknownProduct
        case cancelled
        /// Somebody else decides. If they allow it, the handler of `start(_:)` is called.
        case pending
        case notAllowed
        case offline
        case unverified
        case other(String)

        init(_ error: any Error) {
            switch error {
            case let failure as Failure: self = failure
            case StoreKitError.userCancelled: self = .cancelled
            case StoreKitError.networkError: self = .offline
            case Product.PurchaseError.purchaseNotAllowed: self = .notAllowed
            case Product.PurchaseError.productUnavailable: self = .unknownProduct
            default: self = .other("\(error)")
            }
        }
    }

    package typealias Completion<Value> = @MainActor @Sendable (Result<Value, Failure>) -> Void
    package typealias PurchaseHandler = @MainActor @Sendable (Purchase) -> Void

    private let lock = NSLock()
    private var listener: Task<Void, Never>?

    package init() {}

    deinit { listener?.cancel() }

    // MARK: Listening

    // The handler is told of what comes by itself: what a parent allows, renewals, refunds, and what an earlier launch
    // has not finished. A purchase is finished when the handler has returned.
    package func start(_ handler: @escaping PurchaseHandler) {
        let task = Task {
            for await result in Transaction.updates {
                guard case .verified(let transaction) = result else { continue }
                await handler(Purchase(transaction))
                await transaction.finish()
            }
        }
        replaceListener(by: task)
    }

    package func stop() { replaceListener(by: nil) }

    private func replaceListener(by task: Task<Void, Never>?) {
        let former: Task<Void, Never>? = lock.withLock {
            defer { listener = task }
            return listener
        }
        former?.cancel()
    }

    // MARK: Asking and buying

    package func items(_ ids: [String], completion: @escaping Completion<[Item]>) {
        perform(completion) {
            try await Product.products(for: ids)
                .sorted { $0.id < $1.id }
                .map { Item(id: $0.id, name: $0.displayName, price: $0.displayPrice) }
        }
    }

    /// A purchase is finished when the completion handler has returned.
    package func buy(_ id: String, account: UUID? = nil, completion: @escaping Completion<Purchase>) {
        Task {
            do {
                let transaction = try await Self.purchase(id, for: account)
                await completion(.success(Purchase(transaction)))
                await transaction.finish()
            } catch {
                await completion(.failure(Failure(error)))
            }
        }
    }

    package func isActive(_ id: String, completion: @escaping Completion<Bool>) {
        perform(completion) {
            for await case .verified(let transaction) in Transaction.currentEntitlements
            where transaction.productID == id {
                return true
            }
            return false
        }
    }

    package func restore(completion: @escaping Completion<Set<String>>) {
        perform(completion) {
            try await AppStore.sync()
            var products: Set<String> = []
            for await case .verified(let transaction) in Transaction.currentEntitlements {
                products.insert(transaction.productID)
            }
            return products
        }
    }

    private static func purchase(_ id: String, for account: UUID?) async throws -> Transaction {
        guard let product = try await Product.products(for: [id]).first else { throw Failure.unknownProduct }
        var options: Set<Product.PurchaseOption> = []
        if let account { options.insert(.appAccountToken(account)) }
        switch try await product.purchase(options: options) {
        case .success(.verified(let transaction)): return transaction
        case .success(.unverified): throw Failure.unverified
        case .userCancelled: throw Failure.cancelled
        case .pending: throw Failure.pending
        @unknown default: throw Failure.other("an outcome that is not known")
        }
    }

    private func perform<Value: Sendable>(
        _ completion: @escaping Completion<Value>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do {
                let value = try await work()
                await completion(.success(value))
            } catch {
                await completion(.failure(Failure(error)))
            }
        }
    }
}

extension CallbackStore.Purchase {
    init(_ transaction: Transaction) {
        self.init(
            productID: transaction.productID,
            transactionID: transaction.id,
            expirationDate: transaction.expirationDate,
            isRevoked: transaction.revocationDate != nil,
            isRenewal: transaction.id != transaction.originalID
        )
    }
}
