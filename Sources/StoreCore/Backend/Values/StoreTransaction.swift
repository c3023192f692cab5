import Foundation

/// The complete value of a transaction: an update includes all of it, not only the changes.
///
/// Copies share one immutable description, so each costs only a reference.
public struct StoreTransaction: Sendable {
    private let storage: Storage

    /// The state of the payment.
    ///
    /// Store Kit's five states, in its order.
    public enum State: UInt8, Hashable, Codable, Sendable, NamedInJSON {
        /// Being processed by the store.
        case purchasing
        /// Paid for; the app should deliver.
        case purchased
        /// Refused; see ``StoreTransaction/failure``.
        case failed
        /// A restored earlier purchase; see ``StoreTransaction/original``.
        case restored
        /// Waiting for another person's decision.
        case deferred
    }

    /// Creates a transaction from its parts.
    public init(
        identifier: String,
        order: OrderID? = nil,
        payment: StorePayment,
        state: State,
        date: Date,
        failure: StoreFailure? = nil,
        original: Original? = nil,
        receipt: Data? = nil,
        content: [StoreContent] = [],
        heldIdentifier: String? = nil
    ) {
        let isPlain =
            failure == nil && original == nil && receipt == nil && content.isEmpty && heldIdentifier == nil
        let details =
            isPlain
            ? nil
            : Details(
                failure: failure,
                original: original,
                receipt: receipt,
                content: content,
                held: heldIdentifier
            )
        self.init(identifier: identifier, order: order, payment: payment, state: state, date: date, details: details)
    }

    /// Creates a transaction; without a payment, it has the original's.
    init(identifier: String, order: OrderID?, payment: StorePayment?, state: State, date: Date, details: Details?) {
        storage = Storage(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            details: details
        )
    }

    /// The identifier that the store assigns to the transaction.
    ///
    /// It never changes and is never reused.
    public var identifier: String { storage.identifier }
    /// The command that requested it; nil for an unrequested one (a renewal, a purchase made elsewhere) and for one that
    /// was restored.
    public var order: OrderID? { storage.order }
    /// The payment that was ordered; for a restored transaction, the original's.
    public var payment: StorePayment { storage.payment ?? details?.original?.payment ?? .empty }
    /// The payment stored with the transaction; nil if it is the original's.
    var ownPayment: StorePayment? { storage.payment }
    /// The state of the transaction.
    public var state: State { storage.state }
    /// The time when it was added to the store's queue; meaningful when purchased or restored.
    public var date: Date { storage.date }
    /// The parts that few transactions have, in one object.
    var details: Details? { storage.details }
    var hasDetails: Bool { storage.details != nil }
    /// The reason for the failure; a failed transaction always has one.
    public var failure: StoreFailure? { details?.failure }
    /// The earlier transaction that it restores or renews.
    public var original: Original? { details?.original }
    /// The signed receipt, from stores that include it; other stores are called when it is read
    /// (``ReceiptService/receipt(forTransaction:)``).
    public var receipt: Data? { details?.receipt }
    /// The files that the store hosts for it, each under a name of its own; meaningful when purchased or restored.
    public var content: [StoreContent] { details?.content ?? [] }
    /// The account's existing transaction that satisfied the payment; nil if the store made a sale.
    ///
    /// A store reports it, and charges nothing, if a running subscription is bought again or is to change at its renewal;
    /// and if Store Kit 2 orders a product that is owned, or a consumable that is not finished. ``identifier`` then names
    /// only this result, until it is finished: it is in no receipt and no history, and is not restored. Store Kit 1 shows
    /// the held identifier in its place. If it equals ``identifier``, the existing transaction is not named.
    public var heldIdentifier: String? { details?.held }

    /// The earlier transaction that is restored or renewed.
    public struct Original: Hashable, Codable, Sendable {
        /// The earlier transaction's identifier.
        public var identifier: String
        /// The time when it was added to the store's queue.
        public var date: Date
        /// The payment of the earlier transaction.
        public var payment: StorePayment
        /// Creates a reference to an earlier transaction.
        public init(identifier: String, date: Date, payment: StorePayment) {
            self.identifier = identifier
            self.date = date
            self.payment = payment
        }
    }
}

extension StoreTransaction {
    private final class Storage: Sendable {
        let identifier: String
        let order: OrderID?
        let payment: StorePayment?
        let state: State
        let date: Date
        let details: Details?

        init(
            identifier: String,
            order: OrderID?,
            payment: StorePayment?,
            state: State,
            date: Date,
            details: Details?
        ) {
            self.identifier = identifier
            self.order = order
            self.payment = payment
            self.state = state
            self.date = date
            self.details = details
        }
    }

    final class Details: Equatable, Codable, Sendable {
        static func == (left: Details, right: Details) -> Bool {
            left === right
                || left.failure == right.failure && left.original == right.original
                    && left.receipt == right.receipt && left.content == right.content && left.held == right.held
        }

        let failure: StoreFailure?
        let original: Original?
        let receipt: Data?
        let content: [StoreContent]
        let held: String?

        init(
            failure: StoreFailure?,
            original: Original?,
            receipt: Data?,
            content: [StoreContent] = [],
            held: String? = nil
        ) {
            self.failure = failure
            self.original = original
            self.receipt = receipt
            self.content = content
            self.held = held
        }
    }
}

extension StoreTransaction: Hashable {
    /// Returns whether all parts are equal.
    public static func == (left: StoreTransaction, right: StoreTransaction) -> Bool {
        left.identifier == right.identifier && left.order == right.order && left.payment == right.payment
            && left.state == right.state && left.date == right.date && left.failure == right.failure
            && left.original == right.original && left.receipt == right.receipt && left.content == right.content
            && left.heldIdentifier == right.heldIdentifier
    }

    /// Hashes the identifier and the state, which distinguish versions of transactions.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
        hasher.combine(state)
    }
}

extension StoreTransaction: Codable {
    private enum CodingKeys: String, CodingKey {
        case identifier, order, payment, state, date, failure, original, receipt, content, heldIdentifier
    }

    /// Decodes a transaction; the parts that few transactions have may be absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            order: try container.decodeIfPresent(OrderID.self, forKey: .order),
            payment: try container.decode(StorePayment.self, forKey: .payment),
            state: try container.decode(State.self, forKey: .state),
            date: try container.decode(DateText.self, forKey: .date).value,
            failure: try container.decodeIfPresent(StoreFailure.self, forKey: .failure),
            original: try container.decodeIfPresent(Original.self, forKey: .original),
            receipt: try container.decodeIfPresent(Data.self, forKey: .receipt),
            content: try container.decodeIfPresent([StoreContent].self, forKey: .content) ?? [],
            heldIdentifier: try container.decodeIfPresent(String.self, forKey: .heldIdentifier)
        )
    }

    /// Encodes the parts that the transaction has.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encodeIfPresent(order, forKey: .order)
        try container.encode(payment, forKey: .payment)
        try container.encode(state, forKey: .state)
        try container.encode(DateText(date), forKey: .date)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeIfPresent(original, forKey: .original)
        try container.encodeIfPresent(receipt, forKey: .receipt)
        if !content.isEmpty { try container.encode(content, forKey: .content) }
        try container.encodeIfPresent(heldIdentifier, forKey: .heldIdentifier)
    }
}

extension StoreTransaction.State {
    static let names = ["purchasing", "purchased", "failed", "restored", "deferred"]

    /// Decodes a state from its name, or from the number that the first version wrote.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeNamed() }

    /// Encodes the state's name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(nameOf: self) }
}

extension StoreTransaction.Original {
    private enum CodingKeys: String, CodingKey { case identifier, date, payment }

    /// Decodes a reference to an earlier transaction.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            date: try container.decode(DateText.self, forKey: .date).value,
            payment: try container.decode(StorePayment.self, forKey: .payment)
        )
    }

    /// Encodes all parts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(DateText(date), forKey: .date)
        try container.encode(payment, forKey: .payment)
    }
}
