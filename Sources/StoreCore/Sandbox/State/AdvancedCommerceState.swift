import Foundation

/// The purchases of Advanced Commerce, and the identifiers of requests that were used.
struct AdvancedCommerceState: Hashable, Codable, Sendable {
    /// A purchase or a renewal.
    struct Purchase: Hashable, Codable, Sendable {
        var content: AdvancedCommerceContent
        /// The refunds of its items, oldest first.
        var refunds: [DatedRefund] = []
    }

    /// The refund of an item, with its date.
    struct DatedRefund: Hashable, Codable, Sendable {
        let refund: AdvancedCommerceRefund
        let date: Date
    }

    /// A subscription.
    struct Subscription: Hashable, Codable, Sendable {
        /// The content of the newest period.
        fileprivate(set) var current: AdvancedCommerceContent
        /// The content of the next period if it was changed; nil if it follows from the newest.
        fileprivate var pending: AdvancedCommerceContent?
        /// The price increases at the next renewal, by SKU.
        fileprivate(set) var increases: [String: AdvancedCommerceIncrease] = [:]
        /// The number of changes.
        fileprivate var changes = 0

        /// The content of the next period.
        var next: AdvancedCommerceContent { pending ?? current.next }
    }

    private var references: Set<UUID> = []
    private var purchases: [TransactionNumber: Purchase] = [:]
    private var subscriptions: [SubscriptionIndex: Subscription] = [:]

    func hasUsed(_ reference: UUID) -> Bool { references.contains(reference) }

    /// Returns the purchase of a transaction; nil if it is none of Advanced Commerce.
    subscript(transaction: TransactionNumber) -> Purchase? { purchases[transaction] }

    /// Returns a subscription; nil if it is none of Advanced Commerce.
    subscript(subscription: SubscriptionIndex) -> Subscription? { subscriptions[subscription] }

    /// Returns the token of a subscription's present renewal: another after each change.
    func consistencyToken(of subscription: SubscriptionIndex) -> String {
        let changes = subscriptions[subscription]?.changes ?? 0
        return UUID(named: "renewal \(subscription.rawValue) \(changes)").uuidString.lowercased()
    }

    /// Removes all purchases; identifiers of requests stay used.
    mutating func forgetPurchases() { (purchases, subscriptions) = ([:], [:]) }

    mutating func sell(_ content: AdvancedCommerceContent, as transaction: TransactionNumber) {
        references.insert(content.reference)
        purchases[transaction] = Purchase(content: content)
    }

    /// Begins a period of a subscription with a content; the next period has another content, if one is given.
    mutating func begin(
        _ content: AdvancedCommerceContent,
        then pending: AdvancedCommerceContent? = nil,
        of subscription: SubscriptionIndex,
        as transaction: TransactionNumber
    ) {
        sell(content, as: transaction)
        let changes = subscriptions[subscription].map { $0.changes + 1 } ?? 0
        subscriptions[subscription] = Subscription(current: content, pending: pending, changes: changes)
    }

    /// Sets the content of a subscription's next period.
    mutating func setNext(
        _ content: AdvancedCommerceContent,
        increases: [String: AdvancedCommerceIncrease]? = nil,
        of subscription: SubscriptionIndex
    ) {
        guard var changed = subscriptions[subscription] else { return }
        changed.pending = content
        if let increases { changed.increases = increases }
        changed.changes += 1
        subscriptions[subscription] = changed
    }

    /// Begins the next period of a subscription, as a transaction unless the period passed unpaid.
    mutating func renew(_ subscription: SubscriptionIndex, as transaction: TransactionNumber?) {
        guard let last = subscriptions[subscription] else { return }
        let content = last.next
        if let transaction { purchases[transaction] = Purchase(content: content) }
        subscriptions[subscription] = Subscription(current: content, changes: last.changes + 1)
    }

    fileprivate mutating func apply(_ change: AdvancedCommerceChange, _ date: Date) {
        references.insert(change.reference)
        switch change.effect {
        case .others: break
        case .metadata(let subscription, let now, let later):
            subscriptions[subscription]?.current = now
            for transaction in change.transactions { purchases[transaction]?.content = now }
            setNext(later, of: subscription)
        case .prices(let subscription, let later, let increases):
            setNext(later, increases: increases, of: subscription)
        case .migrated(let subscription, _, let now, let later):
            for transaction in change.transactions { purchases[transaction] = Purchase(content: now) }
            subscriptions[subscription] = Subscription(current: now, pending: later)
        case .refunds(let refunds, _):
            for transaction in change.transactions {
                purchases[transaction]?.refunds += refunds.map { DatedRefund(refund: $0, date: date) }
            }
        }
    }
}

extension SandboxState {
    /// Applies a server's change.
    mutating func apply(_ change: AdvancedCommerceChange, _ date: Date) {
        purchasesChange()
        server.advancedCommerce.apply(change, date)
        if case .migrated(let subscription, let product, _, _) = change.effect, let group = catalog.group(of: product) {
            subscriptions.migrate(subscription, to: product, group: group)
        }
    }

    /// Whether everything that a server's change refers to exists.
    func admits(_ change: AdvancedCommerceChange) -> Bool {
        if case .migrated(_, let product, _, _) = change.effect, !catalog.has(product) { return false }
        return change.subscription.map(subscriptions.indices.contains) ?? true
    }

    /// Applies the request of a purchase, after the purchase's effect on its subscription.
    ///
    /// - Parameters:
    ///   - payment: a payment, which need not have a request.
    ///   - transaction: the purchase's transaction, or the existing one that satisfied it.
    ///   - change: the effect on a subscription.
    mutating func takeRequest(
        of payment: StorePayment,
        as transaction: TransactionNumber,
        _ change: SubscriptionChange?
    ) {
        guard payment.requestData != nil, let request = payment.advancedCommerceRequest else { return }
        let reference = request.info.reference
        guard let change else {
            if case .charge(let content) = request.operation {
                server.advancedCommerce.sell(content, as: transaction)
            }
            return
        }
        guard let index = subscriptions.index(ofOriginal: change.term.original) else { return }
        let known = server.advancedCommerce[index]
        switch request.operation {
        case .charge: break
        case .create(let content, _): server.advancedCommerce.begin(content, of: index, as: transaction)
        case .modify(_, let modification):
            guard let known else { return }
            server.advancedCommerce.use(reference)
            let later = modification.later(known.next, reference)
            if change.continuesPeriod { return server.advancedCommerce.setNext(later, of: index) }
            let now = modification.now(known.current, reference)
            server.advancedCommerce.begin(now, then: later == now.next ? nil : later, of: index, as: transaction)
        case .reactivate(_, let skus):
            guard let known else { return }
            server.advancedCommerce.use(reference)
            let content = known.next.reactivated(skus, reference)
            if change.continuesPeriod { return server.advancedCommerce.setNext(content, of: index) }
            server.advancedCommerce.begin(content, of: index, as: transaction)
        }
    }
}

extension AdvancedCommerceState {
    fileprivate mutating func use(_ reference: UUID) { references.insert(reference) }
}

extension AdvancedCommerceContent {
    /// Returns the content for a reactivated subscription, which renews with some items or all.
    func reactivated(_ skus: [String]?, _ reference: UUID) -> AdvancedCommerceContent {
        var content = self
        content.reference = reference
        if let skus { content.items.removeAll { item in !skus.contains(where: item.sku.isExactly) } }
        return content
    }
}
