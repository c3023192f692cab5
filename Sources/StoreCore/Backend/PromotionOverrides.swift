/// What an app has changed, on one device, in how its store promotes products.
public struct PromotionOverrides: Hashable, Codable, Sendable {
    /// The identifiers of the products that come first, in order; the others follow in the store's order.
    public var order: [String]
    /// The products that are shown or hidden whatever the store says: true for shown, false for hidden.
    public var visibility: [String: Bool]

    /// Makes overrides; without any, everything is as the store has it.
    public init(order: [String] = [], visibility: [String: Bool] = [:]) {
        self.order = order
        self.visibility = visibility
    }

    /// Takes in a change.
    public mutating func apply(_ change: PromotionChange) {
        switch change {
        case .order(let identifiers): order = identifiers
        case .visibility(let identifier, let isShown): visibility[identifier] = isShown
        }
    }
}

/// One thing that an app changes in how its store promotes products on a device.
public enum PromotionChange: Hashable, Codable, Sendable {
    /// These products come first; none gives the store's order back.
    case order([String])
    /// A product is shown or hidden; nil leaves it to the store again.
    case visibility(productIdentifier: String, isShown: Bool?)
}
