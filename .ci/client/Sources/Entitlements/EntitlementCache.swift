import StoreKit

/// What the user may use, as of the last time that the store said so.
public struct Entitlement: Codable, Hashable, Sendable {
    /// The product's identifier.
    public let product: String
    /// The end of what is paid for; nil if there is none.
    public let expires: Date?
}

/// Where entitlements are kept between launches.
public protocol EntitlementStorage: Sendable {
    /// Returns what was saved last.
    func load() async -> Set<Entitlement>
    /// Replaces what was saved.
    func save(_ entitlements: Set<Entitlement>) async
}

/// Answers at once from its storage, which it keeps as the store has it.
public actor EntitlementCache {
    /// What is kept, after each refresh.
    public nonisolated let refreshes: AsyncStream<Set<Entitlement>>

    private let teller: AsyncStream<Set<Entitlement>>.Continuation
    private let storage: any EntitlementStorage
    private var listeners: [Task<Void, Never>] = []
    private var lastReading: Task<Void, Never>?

    /// Makes a cache that does not follow the store yet.
    public init(_ storage: any EntitlementStorage) {
        self.storage = storage
        (refreshes, teller) = AsyncStream.makeStream()
    }

    deinit {
        for listener in listeners { listener.cancel() }
        teller.finish()
    }

    /// Follows the store from now on.
    public func follow() {
        guard listeners.isEmpty else { return }
        listeners = [
            Task { [weak self] in
                for await case .verified(let transaction) in Transaction.updates {
                    await self?.refresh()
                    await transaction.finish()
                }
            },
            // No transaction says that a subscription is over.
            Task { [weak self] in
                var changes = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
                repeat { await self?.refresh() } while await changes.next() != nil
            },
        ]
    }

    /// Whether a product may be used, as far as is known.
    public func mayUse(_ product: String) async -> Bool {
        await storage.load().contains { $0.product == product }
    }

    /// Reads what the store has, after the reading before: the last to begin is the last to save.
    private func refresh() async {
        let reading = Task { [storage, teller, earlier = lastReading] in
            await earlier?.value
            var entitlements: Set<Entitlement> = []
            for await case .verified(let transaction) in Transaction.currentEntitlements {
                entitlements.insert(Entitlement(product: transaction.productID, expires: transaction.expirationDate))
            }
            await storage.save(entitlements)
            teller.yield(entitlements)
        }
        lastReading = reading
        await reading.value
    }
}
