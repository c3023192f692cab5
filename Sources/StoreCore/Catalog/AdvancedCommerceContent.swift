import Foundation

/// The content of an Advanced Commerce purchase: a charge's item, or the items of one period of a subscription.
struct AdvancedCommerceContent: Hashable, Codable, Sendable {
    /// The server's identifier of the request that determined the content.
    var reference: UUID
    var taxCode: String
    /// The subscription's texts; nil for a one-time charge.
    var descriptors: AdvancedCommerceDescriptors?
    /// The length of a period at the full price; nil for a one-time charge.
    var period: StoreProduct.Period?
    var items: [AdvancedCommerceItem]
    /// The UUID of the app's user; nil if the request has none.
    var user: UUID?

    /// The price of all items for the period.
    var price: Decimal { items.reduce(0) { $0 + Decimal($1.currentPrice) } / 1000 }

    /// The length of the period: that of the items' offers, if there are any.
    var length: StoreProduct.Period? { items.lazy.compactMap { $0.offer?.period }.first ?? period }

    /// The content of the next period, in which offers may have ended.
    var next: AdvancedCommerceContent {
        var next = self
        for index in next.items.indices { next.items[index].advance() }
        return next
    }

    /// Whether all items have the same length of the period, in this period and in those that follow.
    var isAligned: Bool {
        var content = self
        while true {
            guard Set(content.items.map { $0.offer?.period ?? period }).count <= 1 else { return false }
            // An offer ends, after twelve periods at the latest.
            guard content.items.contains(where: { $0.offer != nil }) else { return true }
            content = content.next
        }
    }

    /// Returns the index of the item with a SKU.
    func index(of sku: String) -> Int? { items.firstIndex { $0.sku.isExactly(sku) } }
}

/// The name and the description of a subscription.
struct AdvancedCommerceDescriptors: Hashable, Codable, Sendable {
    var displayName: String
    var description: String
}

/// An item of an Advanced Commerce purchase: a product of the developer's own catalog.
struct AdvancedCommerceItem: Hashable, Codable, Sendable {
    /// A reduced price for a number of periods.
    struct Offer: Hashable, Codable, Sendable {
        /// The price of a period, in thousandths.
        let price: Int64
        let period: StoreProduct.Period
        let periodCount: Int
        /// The reason, by its name in the API.
        let reason: String
        /// The number of later periods to which the offer applies.
        var remaining: Int
    }

    var sku: String
    var displayName: String
    var description: String
    /// The price of a period without an offer, in thousandths.
    var price: Int64
    /// The offer that applies to the period; nil for the full price.
    var offer: Offer?

    /// The price of the period, in thousandths.
    var currentPrice: Int64 { offer?.price ?? price }

    /// Begins the next period.
    fileprivate mutating func advance() {
        guard let offer else { return }
        self.offer = offer.remaining > 0 ? offer : nil
        self.offer?.remaining -= 1
    }
}

/// A modification of a subscription's items, texts and period.
struct AdvancedCommerceModification: Hashable, Sendable {
    /// A new item.
    struct Addition: Hashable, Sendable {
        let item: AdvancedCommerceItem
        /// The price for the rest of the period, in thousandths; nil for one in proportion to the time.
        let proratedPrice: Int64?
    }

    /// The replacement of an item.
    struct Change: Hashable, Sendable {
        let sku: String
        let item: AdvancedCommerceItem
        let isImmediate: Bool
        let appliesOffer: Bool
        /// The price for the rest of the period, in thousandths; nil for one in proportion to the time.
        let proratedPrice: Int64?
    }

    /// A value that replaces another, now or at the next renewal.
    struct Replacement<Value: Hashable & Sendable>: Hashable, Sendable {
        let value: Value
        let isImmediate: Bool
    }

    let additions: [Addition]
    let changes: [Change]
    /// The SKUs of the items that are removed.
    let removals: [String]
    let descriptors: Replacement<AdvancedCommerceDescriptors>?
    let period: Replacement<StoreProduct.Period>?
    let taxCode: String?
    let retainsBillingCycle: Bool

    /// Whether the running period is replaced; if not, only the renewal changes.
    var isImmediate: Bool { !retainsBillingCycle || !additions.isEmpty || changes.contains(where: \.isImmediate) }

    /// Returns the content of the running period, or of the one that begins now in its place.
    func now(_ running: AdvancedCommerceContent, _ info: AdvancedCommerceRequestInfo) -> AdvancedCommerceContent {
        var content = applied(to: retainsBillingCycle ? running : running.next, info) { $0 }
        if !retainsBillingCycle { content.items.removeAll { removals.contains(where: $0.sku.isExactly) } }
        return content
    }

    /// Returns the content of the next period.
    ///
    /// Items that begin now are in the second period of their offers then.
    func later(_ next: AdvancedCommerceContent, _ info: AdvancedCommerceRequestInfo) -> AdvancedCommerceContent {
        var content = applied(to: retainsBillingCycle ? next : next.next, info) { _ in true }
        content.items.removeAll { removals.contains(where: $0.sku.isExactly) }
        let begun = additions.map(\.item.sku) + changes.filter(\.isImmediate).map(\.item.sku)
        for place in content.items.indices where begun.contains(where: content.items[place].sku.isExactly) {
            content.items[place].advance()
        }
        return content
    }

    private func applied(
        to content: AdvancedCommerceContent,
        _ info: AdvancedCommerceRequestInfo,
        where isMeant: (Bool) -> Bool
    ) -> AdvancedCommerceContent {
        var content = content
        content.reference = info.reference
        content.user = info.appAccountToken ?? content.user
        if let taxCode { content.taxCode = taxCode }
        if let descriptors, isMeant(descriptors.isImmediate) { content.descriptors = descriptors.value }
        if let period, isMeant(period.isImmediate) { content.period = period.value }
        for change in changes where isMeant(change.isImmediate) {
            if let index = content.index(of: change.sku) { content.items[index] = change.item }
        }
        content.items += additions.map(\.item)
        return content
    }

    /// Returns the prices of new and changed items for the rest of a period whose cycle is retained.
    ///
    /// - Parameters:
    ///   - share: the share of the period that remains.
    ///   - running: the content of the period.
    /// - Returns: the prices in thousandths, by SKU.
    func proratedPrices(for share: Double, of running: AdvancedCommerceContent) -> [(sku: String, price: Int64)] {
        func part(_ thousandths: Int64) -> Int64 { Int64((Double(max(thousandths, 0)) * share).rounded()) }
        let added = additions.map { ($0.item.sku, $0.proratedPrice ?? part($0.item.currentPrice)) }
        let changed = changes.filter(\.isImmediate).map { change in
            let old = running.index(of: change.sku).map { running.items[$0].currentPrice } ?? 0
            return (change.item.sku, change.proratedPrice ?? part(change.item.currentPrice - old))
        }
        return added + changed
    }
}
