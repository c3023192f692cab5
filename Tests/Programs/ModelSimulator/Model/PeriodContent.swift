import StoreCore

/// The content of a period of a generic subscription: its items, its texts and its tax code.
struct PeriodContent {
    /// An item.
    struct Item {
        var sku: String
        /// The price without the offer, in cents.
        var cents: Int
        /// The offer that applies to the period; nil for the full price.
        var offer: Offer?
        /// The price of the period, in cents.
        var price: Int { offer?.cents ?? cents }
    }

    /// A reduced price of an item.
    struct Offer {
        /// The price in cents.
        let cents: Int
        /// The number of periods that have it, and how many of them come after this one.
        let periods: Int
        var periodsLeft: Int
    }

    typealias Items = [SimulatedOperation.Item: Item]
    typealias Texts = TransactionPayload.AdvancedCommerceInfo.Descriptors

    /// The items; none unless the subscription was requested.
    var items: Items = [:]
    /// The length of a period in months.
    var months = 1
    /// The texts and the tax code with which every subscription begins.
    var texts = Texts(displayName: "A pass", description: "For items")
    var taxCode = "C003-00-1"

    /// The price of the period, in cents.
    var price: Int { items.values.reduce(0) { $0 + $1.price } }

    /// The content of the period that follows, in which offers may be over.
    var next: Self {
        var next = self
        for (item, content) in items {
            guard let offer = content.offer else { continue }
            next.items[item]?.offer = offer.periodsLeft > 0 ? offer : nil
            next.items[item]?.offer?.periodsLeft -= 1
        }
        return next
    }

    /// The content with another item, which it has instead of one in the same place.
    func adding(_ added: Item, as item: SimulatedOperation.Item) -> Self {
        var content = self
        content.items[item] = added
        return content
    }

    /// All that a store shows of the content; nil if there are no items.
    var summary: String? { items.isEmpty ? nil : Self.summary(Array(items.values), texts, taxCode) }

    static func summary(_ items: [Item], _ texts: Texts?, _ taxCode: String) -> String {
        let items = items.map { item in
            "\(item.sku) for \(item.cents)" + (item.offer.map { ", \($0.periods) times for \($0.cents)" } ?? "")
        }
        let text = texts.map { "\($0.displayName), \($0.description)" } ?? "no texts"
        return "\(items.sorted()), \(text), \(taxCode)"
    }
}
