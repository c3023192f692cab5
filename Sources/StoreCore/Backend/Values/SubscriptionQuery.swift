/// A question about the subscriptions of the account that is signed in on a device.
public enum SubscriptionQuery: Hashable, Sendable {
    /// Those of every group in which the account ever had one.
    case all
    /// Those of one group: the account's own first, then what its family shares.
    case group(String)
    /// The one that a transaction belongs to.
    case transaction(String)
}

extension SubscriptionQuery: Codable {
    private enum Kind: String, Codable { case all, group, transaction }
    private enum CodingKeys: String, CodingKey { case type, groupIdentifier, transactionIdentifier }

    /// Decodes a question by its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .all: self = .all
        case .group: self = .group(try container.decode(String.self, forKey: .groupIdentifier))
        case .transaction: self = .transaction(try container.decode(String.self, forKey: .transactionIdentifier))
        }
    }

    /// Encodes the type, and what belongs to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try container.encode(Kind.all, forKey: .type)
        case .group(let identifier):
            try container.encode(Kind.group, forKey: .type)
            try container.encode(identifier, forKey: .groupIdentifier)
        case .transaction(let identifier):
            try container.encode(Kind.transaction, forKey: .type)
            try container.encode(identifier, forKey: .transactionIdentifier)
        }
    }
}
