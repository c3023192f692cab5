/// The place of a product or one of its offers in a `.storekit` file.
///
/// It costs nothing to pass around: its text is made only for an error.
struct StorekitFilePlace: CustomStringConvertible {
    private enum List {
        case products, nonRenewingSubscriptions
        case group(Int)
    }

    private let list: List
    private let index: Int
    private var offers: StaticString?
    private var offer: Int?

    private init(_ list: List, _ index: Int) {
        self.list = list
        self.index = index
    }

    static func product(_ index: Int) -> Self { Self(.products, index) }
    static func nonRenewing(_ index: Int) -> Self { Self(.nonRenewingSubscriptions, index) }
    static func subscription(_ index: Int, ofGroup group: Int) -> Self { Self(.group(group), index) }

    /// Returns the place of an offer of the product at this place: in a list, or alone under its key.
    func offer(_ offer: Int? = nil, in key: StaticString) -> Self {
        var place = self
        place.offers = key
        place.offer = offer
        return place
    }

    var description: String {
        let product =
            switch list {
            case .products: "products[\(index)]"
            case .nonRenewingSubscriptions: "nonRenewingSubscriptions[\(index)]"
            case .group(let group): "subscriptionGroups[\(group)].subscriptions[\(index)]"
            }
        guard let offers else { return product }
        return "\(product).\(offers)\(offer.map { "[\($0)]" } ?? "")"
    }

    /// Returns the path of a key at this place.
    func path(_ key: String) -> String { "\(self).\(key)" }
}
