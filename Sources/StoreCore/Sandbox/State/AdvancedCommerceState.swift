import Foundation

/// The purchases of Advanced Commerce, and the identifiers of requests that were used.
struct AdvancedCommerceState: Hashable, Codable, Sendable {
    /// A purchase or a renewal.
    struct Purchase: Hashable, Codable, Sendable {
        fileprivate(set) var content: AdvancedCommerceContent
        /// The charge for each item, in thousandths: less than its price if only the rest of a period was paid for.
        let paid: [Int64]
        /// The refunds of its items, oldest first.
        fileprivate(set) var refunds: [DatedRefund] = []

        fileprivate init(_ content: AdvancedCommerceContent, paid: [Int64]? = nil) {
            self.content = content
            self.paid = paid ?? content.items.map(\.currentPrice)
        }

        /// The charge, in thousandths.
        var charge: Int64 { paid.reduce(0, +) }

        /// Whether an item was revoked.
        func isRevoked(_ sku: String) -> Bool {
            refunds.contains { $0.refund.isRevoked && $0.refund.sku.isExactly(sku) }
        }

        /// Takes over the texts and the SKUs of a subscription's period, unless the purchase has other items than that.
        fileprivate mutating func rename(_ former: AdvancedCommerceContent, as now: AdvancedCommerceContent) {
            guard content.items.elementsEqual(former.items, by: { $0.sku.isExactly($1.sku) }) else { return }
            let skus = former.skus(in: now)
            content.rename(as: now)
            refunds = refunds.map { DatedRefund(refund: $0.refund.renamed(skus), date: $0.date) }
        }
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
        /// The start of the billing cycle; nil if the newest period began with it.
        fileprivate(set) var cycleStart: Date?
        /// The content of the next period if it was changed; nil if it follows from the newest.
        fileprivate var pending: AdvancedCommerceContent?
        /// The price increases at the next renewal, by SKU.
        fileprivate(set) var increases: [String: AdvancedCommerceIncrease] = [:]
        /// The number of changes.
        fileprivate var changes = 0

        /// The content of the next period.
        var next: AdvancedCommerceContent { pending ?? current.next }

        /// Changes texts and SKUs.
        fileprivate mutating func rename(as now: AdvancedCommerceContent, _ later: AdvancedCommerceContent) {
            let skus = next.skus(in: later)
            increases = Dictionary(increases.map { (skus[ExactText($0)] ?? $0, $1.renamed(skus)) }) { first, _ in first
            }
            (current, pending) = (now, later)
            changes += 1
        }
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

    /// Forgets the refunds of transactions, since they were reversed.
    mutating func forgetRefunds(of transactions: [TransactionNumber]) {
        for transaction in transactions { purchases[transaction]?.refunds = [] }
    }

    /// Removes a subscription that goes on without requests.
    mutating func remove(_ subscription: SubscriptionIndex) { subscriptions[subscription] = nil }

    /// Sets the app's user of the present period of a subscription, and of those that follow.
    mutating func setUser(_ user: UUID, of subscription: SubscriptionIndex) {
        subscriptions[subscription]?.current.user = user
        subscriptions[subscription]?.pending?.user = user
    }

    mutating func sell(_ content: AdvancedCommerceContent, paid: [Int64]? = nil, as transaction: TransactionNumber) {
        references.insert(content.reference)
        purchases[transaction] = Purchase(content, paid: paid)
    }

    /// Begins a period of a subscription with a content; the next period has another content, if one is given.
    ///
    /// The charge for each item is its price, unless others are given. A billing cycle begins with the period, unless
    /// its start is given.
    mutating func begin(
        _ content: AdvancedCommerceContent,
        paid: [Int64]? = nil,
        in cycleStart: Date? = nil,
        then pending: AdvancedCommerceContent? = nil,
        of subscription: SubscriptionIndex,
        as transaction: TransactionNumber
    ) {
        sell(content, paid: paid, as: transaction)
        let known = subscriptions[subscription]
        var begun = Subscription(
            current: content,
            cycleStart: cycleStart,
            pending: pending,
            changes: known.map { $0.changes + 1 } ?? 0
        )
        // An increase that is announced stays so, unless the item does not renew at that price any more.
        begun.increases =
            known?.increases.filter { sku, increase in
                pending?.items.contains { $0.sku.isExactly(sku) && $0.price == increase.price } ?? false
            } ?? [:]
        subscriptions[subscription] = begun
    }

    /// Changes the texts of a subscription's running period, and of its transaction.
    fileprivate mutating func describe(
        _ subscription: SubscriptionIndex,
        _ transaction: TransactionNumber,
        as descriptors: AdvancedCommerceDescriptors
    ) {
        subscriptions[subscription]?.current.descriptors = descriptors
        purchases[transaction]?.content.descriptors = descriptors
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
    mutating func renew(_ subscription: SubscriptionIndex, as transaction: TransactionNumber?, isPaid: Bool) {
        guard let last = subscriptions[subscription] else { return }
        let content = last.next
        if let transaction {
            purchases[transaction] = Purchase(content, paid: isPaid ? nil : content.items.map { _ in 0 })
        }
        subscriptions[subscription] = Subscription(current: content, changes: last.changes + 1)
    }

    fileprivate mutating func apply(_ change: AdvancedCommerceChange, _ date: Date) {
        references.insert(change.reference)
        switch change.effect {
        case .others: break
        case .metadata(let subscription, let now, let later):
            guard let former = subscriptions[subscription]?.current else { return }
            for transaction in change.transactions { purchases[transaction]?.rename(former, as: now) }
            subscriptions[subscription]?.rename(as: now, later)
        case .prices(let subscription, let later, let increases):
            setNext(later, increases: increases, of: subscription)
        case .migrated(let subscription, _, let now, let later):
            for transaction in change.transactions { purchases[transaction] = Purchase(now) }
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
        if case .migrated(let subscription, let product, _, _) = change.effect {
            subscriptions.migrate(subscription, to: product)
        }
    }

    /// Begins the next period of a subscription, as a transaction unless the period passed unpaid.
    ///
    /// A subscription that was migrated comes into the group of its generic product.
    mutating func renewContent(of index: SubscriptionIndex, as transaction: TransactionNumber?, isPaid: Bool) {
        guard server.advancedCommerce[index] != nil else { return }
        server.advancedCommerce.renew(index, as: transaction, isPaid: isPaid)
        if let group = catalog.group(of: subscriptions[index].term.product) {
            subscriptions.setGroup(group, of: index)
        }
    }

    /// Sets the user of a subscription's app, which a server has changed.
    mutating func setUser(_ user: UUID, of index: SubscriptionIndex) {
        subscriptions.setApplicationUsername(user.uuidString.lowercased(), of: index)
        if server.hasAdvancedCommerce { server.advancedCommerce.setUser(user, of: index) }
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
    ///   - last: the period of the subscription before the purchase; nil for none.
    mutating func takeRequest(
        of payment: StorePayment,
        as transaction: TransactionNumber,
        _ change: SubscriptionChange?,
        after last: SubscriptionTerm?
    ) {
        guard payment.requestData != nil else {
            // An ordinary product that is bought in the group of a migrated subscription takes its place.
            if server.hasAdvancedCommerce, let change,
                let index = subscriptions.index(ofOriginal: change.term.original)
            {
                server.advancedCommerce.remove(index)
            }
            return
        }
        guard let request = payment.advancedCommerceRequest else { return }
        let info = request.info
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
            server.advancedCommerce.use(info.reference)
            let later = modification.later(known.next, info)
            if change.continuesPeriod {
                if let texts = modification.descriptors, texts.isImmediate {
                    purchasesChange()
                    server.advancedCommerce.describe(index, transaction, as: texts.value)
                }
                return server.advancedCommerce.setNext(later, of: index)
            }
            let now = modification.now(known.current, info)
            let cycleStart = modification.retainsBillingCycle ? known.cycleStart ?? last?.start : nil
            let parts =
                modification.retainsBillingCycle
                ? last.map { last in
                    let share = last.remainingFraction(at: change.term.start, since: cycleStart)
                    return modification.proratedPrices(for: share, of: known.current)
                } : nil
            server.advancedCommerce.begin(
                now,
                paid: parts.map { parts in
                    now.items.map { item in parts.first { $0.sku.isExactly(item.sku) }?.price ?? 0 }
                },
                in: cycleStart,
                then: later == now.next ? nil : later,
                of: index,
                as: transaction
            )
        case .reactivate(_, let skus):
            guard let known else { return }
            server.advancedCommerce.use(info.reference)
            let content = known.next.reactivated(skus, info)
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
    func reactivated(_ skus: [String]?, _ info: AdvancedCommerceRequestInfo) -> AdvancedCommerceContent {
        var content = self
        content.reference = info.reference
        content.user = info.appAccountToken ?? user
        if let skus { content.items.removeAll { item in !skus.contains(where: item.sku.isExactly) } }
        return content
    }
}

extension AdvancedCommerceContent {
    /// Takes over the texts and the SKUs of a content whose items have the same places.
    fileprivate mutating func rename(as other: AdvancedCommerceContent) {
        (descriptors, taxCode) = (other.descriptors, other.taxCode)
        for (place, item) in zip(items.indices, other.items) {
            (items[place].sku, items[place].displayName, items[place].description) =
                (item.sku, item.displayName, item.description)
        }
    }

    /// Returns the SKUs in a content whose items have the same places, by the ones here.
    fileprivate func skus(in other: AdvancedCommerceContent) -> [ExactText: String] {
        Dictionary(zip(items, other.items).map { (ExactText($0.sku), $1.sku) }) { first, _ in first }
    }
}

extension AdvancedCommerceRefund {
    fileprivate func renamed(_ skus: [ExactText: String]) -> AdvancedCommerceRefund {
        AdvancedCommerceRefund(
            sku: skus[ExactText(sku)] ?? sku,
            amount: amount,
            reason: reason,
            type: type,
            isRevoked: isRevoked
        )
    }
}

extension AdvancedCommerceIncrease {
    fileprivate func renamed(_ skus: [ExactText: String]) -> AdvancedCommerceIncrease {
        AdvancedCommerceIncrease(price: price, dependentSKUs: dependentSKUs.map { skus[ExactText($0)] ?? $0 })
    }
}
