/// A service by which a store saves the app's changes to the promotion of products on this device.
///
/// Without this service, changes are held in memory only.
public protocol PromotionService: Sendable {
    /// The app's changes on this device. Reading them must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// A service that stores the whole of ``PromotionOverrides`` can use ``PromotionOverrides/apply(_:)``, and so takes
    /// every kind of change. Called on the app's thread, which must not be blocked.
    ///
    /// - Parameters:
    ///   - change: the change that the app requests.
    ///   - reply: to be called once, on any thread, before this method returns or later, with nil on success, else with
    ///     the reason for the failure.
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
    /// Shows these products, in this order, and hides all others; an empty array removes all changes.
    ///
    /// The dictionary replaces the visibility of single products: true for shown, false for hidden. If it is nil,
    /// products in the array retain their visibility, and hidden products stay hidden.
    case only([String], visibility: [String: Bool]?)
}

extension PromotionChange: Codable {
    private enum Kind: String, Codable { case order, visibility, only }
    private enum CodingKeys: String, CodingKey { case type, productIdentifiers, productIdentifier, isShown, visibility }

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
        case .only:
            self = .only(
                try container.decode([String].self, forKey: .productIdentifiers),
                visibility: try container.decodeIfPresent([String: Bool].self, forKey: .visibility)
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
        case .only(let identifiers, let visibility):
            try container.encode(Kind.only, forKey: .type)
            try container.encode(identifiers, forKey: .productIdentifiers)
            try container.encodeIfPresent(visibility, forKey: .visibility)
        }
    }
}

/// An app's changes to the promotion of products on a device.
public struct PromotionOverrides: Hashable, Sendable {
    /// The identifiers of the products that come first, in order.
    ///
    /// The others follow in the store's order, except those that are hidden.
    public var order: [String]
    /// The products whose visibility the app has changed: true for shown, false for hidden.
    public var visibility: [String: Bool]
    /// Whether products that are neither in ``order`` nor shown by ``visibility`` are hidden.
    public var hidesOthers: Bool

    /// Creates overrides; without any, the store's settings apply.
    public init(order: [String] = [], visibility: [String: Bool] = [:], hidesOthers: Bool = false) {
        self.order = order
        self.visibility = visibility
        self.hidesOthers = hidesOthers
    }

    /// Applies a change.
    public mutating func apply(_ change: PromotionChange) {
        switch change {
        case .order(let identifiers): (order, hidesOthers) = (identifiers, false)
        case .visibility(let identifier, let isShown): visibility[identifier] = isShown
        case .only([], _): self = PromotionOverrides()
        case .only(let identifiers, let visibility):
            (order, hidesOthers) = (identifiers, true)
            let ordered = Set(identifiers)
            self.visibility = visibility ?? self.visibility.filter { !$0.value || ordered.contains($0.key) }
        }
    }

    /// Returns whether the app shows or hides a product; nil if the store's setting applies.
    func isShown(_ productIdentifier: String) -> Bool? {
        if let isShown = visibility[productIdentifier] { return isShown }
        return hidesOthers && !order.contains(where: productIdentifier.isExactly) ? false : nil
    }
}

extension PromotionOverrides: Codable {
    private enum CodingKeys: String, CodingKey { case order, visibility, hidesOthers }

    /// Decodes overrides; those of earlier versions hide no others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            order: try container.decode([String].self, forKey: .order),
            visibility: try container.decode([String: Bool].self, forKey: .visibility),
            hidesOthers: try container.decodeIfPresent(Bool.self, forKey: .hidesOthers) ?? false
        )
    }

    /// Encodes the order and the visibility, and whether others are hidden if they are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(order, forKey: .order)
        try container.encode(visibility, forKey: .visibility)
        if hidesOthers { try container.encode(true, forKey: .hidesOthers) }
    }
}
