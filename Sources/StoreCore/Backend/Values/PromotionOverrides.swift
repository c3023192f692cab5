/// An app's changes, on one device, to how its store promotes products.
public struct PromotionOverrides: Hashable, Codable, Sendable {
    /// The identifiers of the products that come first, in order; the others follow in the store's order.
    public var order: [String]
    /// The products that are shown or hidden regardless of the store's setting: true for shown, false for hidden.
    public var visibility: [String: Bool]

    /// Creates overrides; without any, the store's settings apply.
    public init(order: [String] = [], visibility: [String: Bool] = [:]) {
        self.order = order
        self.visibility = visibility
    }

    /// Applies a change.
    public mutating func apply(_ change: PromotionChange) {
        switch change {
        case .order(let identifiers): order = identifiers
        case .visibility(let identifier, let isShown): visibility[identifier] = isShown
        }
    }
}
