import Foundation

/// An update that a store sends to a queue.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum StoreUpdate: Hashable, Sendable {
    /// A transaction that is new or has changed, as a complete value.
    case transaction(StoreTransaction)
    /// The removal of a transaction that another queue has finished, or that the store has withdrawn.
    ///
    /// A queue looks up its own orders by `order`, and all other transactions by their identifiers.
    case finished(transaction: String, order: OrderID?)
    /// The end of a restore, after all of its transactions; with a failure if not all of them could be delivered.
    case restoreEnded(OrderID, failure: StoreFailure?)
    /// A change of the storefront's country, after which the app decides about each purchase under way.
    ///
    /// If it is nil, the country is unknown, and the purchases continue without a decision. See
    /// ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)``.
    case storefront(StoreStorefront?)
    /// The loss of entitlement to these products, because of a refund or because family sharing ended.
    case revoked(productIdentifiers: [String])
    /// A purchase that the user began in the store rather than in the app.
    case promoted(StorePayment, product: StoreProduct)
}

extension StoreUpdate: Codable {
    private enum Kind: String, Codable { case transaction, finished, restoreEnded, storefront, revoked, promoted }

    private enum CodingKeys: String, CodingKey {
        case type, transaction, transactionIdentifier, order, failure, storefront, productIdentifiers, payment, product
    }

    /// Decodes an update by its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .transaction: self = .transaction(try container.decode(StoreTransaction.self, forKey: .transaction))
        case .finished:
            self = .finished(
                transaction: try container.decode(String.self, forKey: .transactionIdentifier),
                order: try container.decodeIfPresent(OrderID.self, forKey: .order)
            )
        case .restoreEnded:
            self = .restoreEnded(
                try container.decode(OrderID.self, forKey: .order),
                failure: try container.decodeIfPresent(StoreFailure.self, forKey: .failure)
            )
        case .storefront: self = .storefront(try container.decodeIfPresent(StoreStorefront.self, forKey: .storefront))
        case .revoked:
            self = .revoked(productIdentifiers: try container.decode([String].self, forKey: .productIdentifiers))
        case .promoted:
            self = .promoted(
                try container.decode(StorePayment.self, forKey: .payment),
                product: try container.decode(StoreProduct.self, forKey: .product)
            )
        }
    }

    /// Encodes the type of the update, and the values that belong to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .transaction(let transaction):
            try container.encode(Kind.transaction, forKey: .type)
            try container.encode(transaction, forKey: .transaction)
        case .finished(let transaction, let order):
            try container.encode(Kind.finished, forKey: .type)
            try container.encode(transaction, forKey: .transactionIdentifier)
            try container.encodeIfPresent(order, forKey: .order)
        case .restoreEnded(let order, let failure):
            try container.encode(Kind.restoreEnded, forKey: .type)
            try container.encode(order, forKey: .order)
            try container.encodeIfPresent(failure, forKey: .failure)
        case .storefront(let storefront):
            try container.encode(Kind.storefront, forKey: .type)
            try container.encodeIfPresent(storefront, forKey: .storefront)
        case .revoked(let identifiers):
            try container.encode(Kind.revoked, forKey: .type)
            try container.encode(identifiers, forKey: .productIdentifiers)
        case .promoted(let payment, let product):
            try container.encode(Kind.promoted, forKey: .type)
            try container.encode(payment, forKey: .payment)
            try container.encode(product, forKey: .product)
        }
    }
}

/// A batch of consecutive updates, with the cursors before and after it.
///
/// Batches form a chain: each begins where the previous one ended. A queue can therefore distinguish a repetition from
/// a loss. A repetition ends at or before the queue's cursor, and is ignored. After a loss, the next batch begins after
/// the queue's cursor, and the queue reconnects from its cursor.
public struct UpdateBatch: Hashable, Codable, Sendable {
    /// The cursor that these updates follow.
    ///
    /// Nil in the first batch of a snapshot of unfinished transactions.
    public var after: UpdateCursor?
    /// The cursor after these updates.
    ///
    /// If it has a ``UpdateCursor/part``, more of the snapshot follows.
    public var through: UpdateCursor
    /// The updates, in order.
    ///
    /// Empty for the snapshot of a store without unfinished transactions, or to advance only the cursor: a queue that
    /// no change has concerned for a long time can then reconnect from a recent position.
    public var updates: [StoreUpdate]

    /// Creates a batch.
    public init(after: UpdateCursor?, through: UpdateCursor, updates: [StoreUpdate]) {
        self.after = after
        self.through = through
        self.updates = updates
    }
}
