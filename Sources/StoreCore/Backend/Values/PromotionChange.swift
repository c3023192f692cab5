/// A change that an app makes to how its store promotes products on a device.
public enum PromotionChange: Hashable, Sendable {
    /// Puts these products first; an empty array restores the store's order.
    case order([String])
    /// Shows or hides a product; nil restores the store's setting.
    case visibility(productIdentifier: String, isShown: Bool?)
}

extension PromotionChange: Codable {
    private enum Kind: String, Codable { case order, visibility }
    private enum CodingKeys: String, CodingKey { case type, productIdentifiers, productIdentifier, isShown }

    /// The form that the first version wrote into ledgers.
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

    /// Encodes the type, and what belongs to it.
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
