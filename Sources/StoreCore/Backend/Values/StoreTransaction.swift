import Foundation

/// The complete value of a transaction: an update contains all of it, not only the changes.
///
/// Copies share one immutable description, so each costs only a reference.
public struct StoreTransaction: Sendable {
    private let storage: Storage

    /// The state of the payment.
    ///
    /// The states are in the order of Store Kit's `SKPaymentTransactionState`.
    public enum State: UInt8, Hashable, Codable, Sendable, NamedInJSON {
        /// The store is processing the payment.
        case purchasing
        /// The product is paid for; the app should deliver it.
        case purchased
        /// The payment was refused or has failed; see ``StoreTransaction/failure``.
        case failed
        /// An earlier purchase was restored; see ``StoreTransaction/original``.
        case restored
        /// The payment awaits another person's decision, as with Ask to Buy.
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
            : Details(failure: failure, original: original, receipt: receipt, content: content, held: heldIdentifier)
        self.init(identifier: identifier, order: order, payment: payment, state: state, date: date, details: details)
    }

    /// Creates a transaction; if the payment is nil, the transaction has that of its original.
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
    /// It is never changed, and never reused for another transaction.
    public var identifier: String { storage.identifier }
    /// The number of the transaction's order; nil if no queue on this device ordered the transaction.
    ///
    /// For example, a restored transaction, a renewal and a purchase on another device have no order here.
    public var order: OrderID? { storage.order }
    /// The payment that was ordered; for a restored transaction, that of the original.
    public var payment: StorePayment { storage.payment ?? details?.original?.payment ?? .empty }
    /// The payment stored with this transaction; nil if it has that of its original.
    var ownPayment: StorePayment? { storage.payment }
    /// The state of the transaction.
    public var state: State { storage.state }
    /// The time when the transaction was added to the store's queue; meaningful if it was purchased or restored.
    public var date: Date { storage.date }
    /// The properties that few transactions have, in one object.
    var details: Details? { storage.details }
    var hasDetails: Bool { storage.details != nil }
    /// The reason for the failure; every failed transaction has one.
    public var failure: StoreFailure? { details?.failure }
    /// The purchase that this transaction restores or, for a renewal, with which the subscription began.
    ///
    /// Nil for any other transaction.
    public var original: Original? { details?.original }
    /// The signed receipt; nil if the store creates it only when the app reads it.
    ///
    /// See ``ReceiptService/receipt(forTransaction:)``.
    public var receipt: Data? { details?.receipt }
    /// The files that the store hosts for the transaction, with different names.
    ///
    /// Meaningful if the transaction was purchased or restored.
    public var content: [StoreContent] { details?.content ?? [] }
    /// The identifier of the account's existing transaction that satisfied the payment; nil if the store made a sale.
    ///
    /// A store sets this property, and charges nothing, in these cases:
    /// * A running subscription is bought again, or will change at its renewal.
    /// * Store Kit 2 orders a product that is already owned, or a consumable that is not finished.
    ///
    /// The ``identifier`` then names only this result, until the result is finished: it is in no receipt and no
    /// history, and is not restored. Store Kit 1 shows the held identifier instead. If the held identifier equals the
    /// ``identifier``, it says only that nothing was sold, and does not name the existing transaction.
    public var heldIdentifier: String? { details?.held }

    /// A reference to the purchase that a transaction restores, or with which a renewed subscription began.
    public struct Original: Hashable, Codable, Sendable {
        /// The earlier transaction's identifier.
        public var identifier: String
        /// The time when the earlier transaction was added to the store's queue.
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

        init(identifier: String, order: OrderID?, payment: StorePayment?, state: State, date: Date, details: Details?) {
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

    /// Hashes the identifier and the state, which distinguish the versions of a transaction.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
        hasher.combine(state)
    }
}

extension StoreTransaction: Codable {
    private enum CodingKeys: String, CodingKey {
        case identifier, order, payment, state, date, failure, original, receipt, content, heldIdentifier
    }

    /// Decodes a transaction; absent properties are nil or empty.
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

    /// Encodes the properties that the transaction has.
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

    /// Decodes a state from its name, or from a number as written by the first version.
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
