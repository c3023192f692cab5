/// A question about the transactions of the account that is signed in on a device.
public struct HistoryQuery: Hashable, Codable, Sendable {
    /// A choice of transactions.
    public enum Selection: Hashable, Sendable {
        /// The history: all that the account bought, renewed or has from its family, newest first.
        ///
        /// Refunded transactions are included. Of consumables it has those that are unfinished or refunded.
        case all
        /// The purchased and restored transactions that no app has finished, oldest first.
        case unfinished
        /// The newest transaction of each product that the account may use now, newest first; no consumables.
        ///
        /// That is every non-consumable that is not refunded, every non-renewing subscription, even one that is long
        /// over, and every auto-renewable one that is paid for or in its grace period.
        case entitlements
        /// The newest transaction of the product, or of each, newest first.
        case latest
        /// The refunded transactions, and those that the family shares no longer, in the order in which that happened.
        ///
        /// Every page has a ``HistoryPage/next``, behind which later ones will be. It is a place among all
        /// accounts' revocations, so that it means the same whoever signs in.
        case revoked
        /// The transactions of these identifiers, in this order; those that the account does not have are left out.
        case transactions([String])
    }

    /// The choice of transactions.
    public var selection: Selection
    /// The product, nil for every one.
    public var productIdentifier: String?
    /// Whether the history has finished consumables too.
    public var includesFinishedConsumables = false
    /// The place behind which to go on, a page's ``HistoryPage/next``; nil for the beginning.
    public var cursor: String?
    /// The largest number of transactions to return, at least 1.
    ///
    /// A choice by identifiers is answered whole.
    public var limit = defaultLimit
    package static let defaultLimit = 256

    /// Creates a question; further properties are set afterwards.
    public init(_ selection: Selection, ofProduct productIdentifier: String? = nil) {
        self.selection = selection
        self.productIdentifier = productIdentifier
    }
}

/// A part of the answer to a ``HistoryQuery``.
public struct HistoryPage: Sendable {
    /// The transactions, signed for the device.
    public var transactions: [SignedValue<TransactionPayload>]
    /// The place behind which the next page begins; nil if this is the last, unless
    /// the query's selection says otherwise.
    public var next: String?

    /// Creates a page.
    public init(_ transactions: [SignedValue<TransactionPayload>], next: String? = nil) {
        self.transactions = transactions
        self.next = next
    }
}

extension HistoryQuery.Selection: Codable {
    private enum Kind: String, Codable { case all, unfinished, entitlements, latest, revoked, transactions }
    private enum CodingKeys: String, CodingKey { case type, transactionIdentifiers }

    /// Decodes a choice by its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .all: self = .all
        case .unfinished: self = .unfinished
        case .entitlements: self = .entitlements
        case .latest: self = .latest
        case .revoked: self = .revoked
        case .transactions:
            self = .transactions(try container.decode([String].self, forKey: .transactionIdentifiers))
        }
    }

    /// Encodes the type, and what belongs to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let kind: Kind =
            switch self {
            case .all: .all
            case .unfinished: .unfinished
            case .entitlements: .entitlements
            case .latest: .latest
            case .revoked: .revoked
            case .transactions: .transactions
            }
        try container.encode(kind, forKey: .type)
        if case .transactions(let identifiers) = self {
            try container.encode(identifiers, forKey: .transactionIdentifiers)
        }
    }
}
