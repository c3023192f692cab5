import Foundation
import StoreKit

/// Knows what the user may use, and sells the rest. Keeps no list of its own: the store is asked.
package actor ClubStore {
    package enum Outcome: Equatable, Sendable {
        case purchased
        case pending
        case cancelled
    }

    package enum Failure: Error, Equatable, Sendable {
        case unknownProduct(String)
        case unverified
    }

    package private(set) var products: [Product] = []
    package private(set) var entitlements: Set<String> = []

    private let identifiers: [String]
    private var updates: Task<Void, Never>?
    private var listeners: [UUID: AsyncStream<Set<String>>.Continuation] = [:]

    package init(identifiers: [String]) {
        self.identifiers = identifiers
    }

    deinit {
        updates?.cancel()
        for listener in listeners.values { listener.finish() }
    }

    // MARK: The app's life

    // To be called as soon as the app runs. What the launch before has left is seen to when this returns.
    package func start() async {
        guard updates == nil else { return }
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.process(result) }
        }
        for await result in Transaction.unfinished { await process(result) }
        await refresh()
    }

    package func stop() {
        updates?.cancel()
        updates = nil
    }

    /// What may be used now, and whenever that changes.
    package func entitlementChanges() -> AsyncStream<Set<String>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Set<String>.self)
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        listeners[id] = continuation
        continuation.yield(entitlements)
        return stream
    }

    private func forget(_ id: UUID) {
        listeners[id] = nil
    }

    // MARK: Buying

    @discardableResult
    package func loadProducts() async throws -> [Product] {
        products = try await Product.products(for: identifiers).sorted { $0.price < $1.price }
        return products
    }

    package func purchase(_ identifier: String) async throws -> Outcome {
        if products.isEmpty { try await loadProducts() }
        guard let product = products.first(where: { $0.id == identifier }) else {
            throw Failure.unknownProduct(identifier)
        }
        switch try await product.purchase() {
        case .success(let result):
            guard await process(result) else { throw Failure.unverified }
            return .purchased
        case .pending: return .pending
        case .userCancelled: return .cancelled
        @unknown default: return .pending
        }
    }

    /// For the button of that name: asks for the password, and looks again.
    package func restore() async throws {
        try await AppStore.sync()
        await refresh()
    }

    // MARK: What the user has

    /// Also to be called when the app comes to the front: nothing tells that a subscription has ended.
    package func refresh() async {
        var current: Set<String> = []
        for await result in Transaction.currentEntitlements {
            if case .verified(let transaction) = result, transaction.revocationDate == nil {
                current.insert(transaction.productID)
            }
        }
        guard current != entitlements else { return }
        entitlements = current
        for listener in listeners.values { listener.yield(current) }
    }

    package func renewsAutomatically(_ identifier: String) async throws -> Bool {
        guard let product = products.first(where: { $0.id == identifier }) else {
            throw Failure.unknownProduct(identifier)
        }
        for status in try await product.subscription?.status ?? [] {
            if case .verified(let renewal) = status.renewalInfo, renewal.willAutoRenew { return true }
        }
        return false
    }

    @discardableResult
    private func process(_ result: VerificationResult<Transaction>) async -> Bool {
        guard case .verified(let transaction) = result else { return false }
        await refresh()
        await transaction.finish()
        return true
    }
}
