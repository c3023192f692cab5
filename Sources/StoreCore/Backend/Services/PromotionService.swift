/// A service by which a store saves the app's changes to the promotion of products on this device.
///
/// Without this service, changes are held in memory only.
public protocol PromotionService: Sendable {
    /// The app's changes on this device. Reading them must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// - Parameters:
    ///   - change: the change that the app requests.
    ///   - reply: to be called once, on any thread, with nil on success, else with the reason for the failure.
    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void)
}

/// A ``PromotionService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPromotionService: Sendable {
    /// The app's changes on this device, as far as they are known now. Must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// - Parameter change: the change that the app requests.
    /// - Throws: the reason for the failure, which is passed to the app's completion handler.
    func changePromotion(_ change: PromotionChange) async throws
}

/// An app's change to the promotion of products on a device.
public enum PromotionChange: Hashable, Sendable {
    /// Moves these products, in this order, before all others; an empty array restores the store's order.
    case order([String])
    /// Shows or hides a product; nil restores the store's setting.
    case visibility(productIdentifier: String, isShown: Bool?)
}

extension PromotionChange: Codable {
    private enum Kind: String, Codable { case order, visibility }
    private enum CodingKeys: String, CodingKey { case type, productIdentifiers, productIdentifier, isShown }

    /// A change in the form in which the first version wrote it into ledgers.
    private enum FirstForm: Decodable {
        case order([String])
        case visibility(productIdentifier: String, isShown: Bool?)
    }

    /// Decodes a change by its type, or in the form that the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decodeIfPresent(Kind.self, forKey: .type) {
        case .order: self = .order(try container.decode([String].self, forKey: .productIdentifiers))
        case .visibility:
            self = .visibility(
                productIdentifier: try container.decode(String.self, forKey: .productIdentifier),
                isShown: try container.decodeIfPresent(Bool.self, forKey: .isShown)
            )
        case nil:
            switch try FirstForm(from: decoder) {
            case .order(let identifiers): self = .order(identifiers)
            case .visibility(let identifier, let isShown):
                self = .visibility(productIdentifier: identifier, isShown: isShown)
            }
        }
    }

    /// Encodes the type of the change, and the values that belong to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .order(let identifiers):
            try container.encode(Kind.order, forKey: .type)
            try container.encode(identifiers, forKey: .productIdentifiers)
        case .visibility(let identifier, let isShown):
            try container.encode(Kind.visibility, forKey: .type)
            try container.encode(identifier, forKey: .productIdentifier)
            try container.encodeIfPresent(isShown, forKey: .isShown)
        }
    }
}

/// An app's changes to the promotion of products on a device.
public struct PromotionOverrides: Hashable, Codable, Sendable {
    /// The identifiers of the products that come first, in order; the others follow in the store's order.
    public var order: [String]
    /// The products whose visibility the app has changed: true for shown, false for hidden.
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
