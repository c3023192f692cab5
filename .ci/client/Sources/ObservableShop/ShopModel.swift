import Observation
import StoreKit

/// What a shop's views show.
@MainActor @Observable public final class ShopModel {
    /// What is sold, the cheapest first.
    public private(set) var products: [Product] = []
    /// What may be used now.
    public private(set) var purchased: Set<Product.ID> = []
    /// The state of the subscription; nil if there never was one.
    public private(set) var subscription: Product.SubscriptionInfo.RenewalState?
    /// A sentence about what went wrong last.
    public private(set) var message: String?
    /// Whether all that changes by itself is shown.
    public private(set) var isLive = false

    private let group: String
    @ObservationIgnored private var listeners: [Task<Void, Never>] = []
    @ObservationIgnored private var lastReading: Task<Void, Never>?

    /// Makes a model that shows nothing yet.
    public init(subscriptionGroup: String) { group = subscriptionGroup }

    isolated deinit {
        for listener in listeners { listener.cancel() }
    }

    /// Loads the products, and begins to listen.
    public func open(_ identifiers: [Product.ID]) async {
        do {
            products = try await Product.products(for: identifiers).sorted { $0.price < $1.price }
        } catch {
            message = error.localizedDescription
        }
        guard listeners.isEmpty else { return }
        listeners = [
            Task { [weak self] in
                for await case .verified(let transaction) in Transaction.updates {
                    await transaction.finish()
                    await self?.refresh()
                }
            },
            Task { [weak self] in
                var changes = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
                repeat {
                    await self?.refresh()
                    self?.isLive = true
                } while await changes.next() != nil
            },
        ]
    }

    /// Buys a product that is shown.
    public func buy(_ identifier: Product.ID) async {
        guard let product = products.first(where: { $0.id == identifier }) else { return }
        message = nil
        do {
            switch try await product.purchase() {
            case .success(.verified(let transaction)):
                await transaction.finish()
                await refresh()
            case .success(.unverified(_, let error)): message = error.localizedDescription
            case .pending: message = "Waiting for approval"
            case .userCancelled: break
            @unknown default: break
            }
        } catch {
            message = error.localizedDescription
        }
    }

    /// Reads what may be used, after the reading before: the last to begin is the last to be shown.
    private func refresh() async {
        let reading = Task { [earlier = lastReading] in
            await earlier?.value
            var entitled: Set<Product.ID> = []
            for await case .verified(let transaction) in Transaction.currentEntitlements {
                entitled.insert(transaction.productID)
            }
            let state = try? await Product.SubscriptionInfo.status(for: group).first?.state
            (purchased, subscription) = (entitled, state)
        }
        lastReading = reading
        await reading.value
    }
}
