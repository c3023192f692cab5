import Foundation
import Synchronization

/// A store's service that reports the purchases of an account, as Store Kit 2 needs them beside a queue.
///
/// All results concern the account that is signed in on the device, and are empty without one. Every requirement may be
/// called on any thread; each reply is to be called once, on any thread, before the call returns or later.
public protocol HistoryService: Sendable {
    /// Looks up transactions.
    ///
    /// - Parameters:
    ///   - query: the choice of transactions. A cursor may come from an earlier launch.
    ///   - reply: receives a page, or the reason why there is none.
    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void)

    /// Looks up the states of subscriptions.
    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    )

    /// Looks up the purchase of the app itself.
    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void)

    /// Brings the history up to date with the account's other devices; fails where nobody is signed in.
    ///
    /// Default: replies with nil, for a store whose history is always up to date.
    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    )

    /// Requests a refund of a transaction from the store's operator.
    ///
    /// Default: fails with the code `unknown`.
    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    )

    /// The identifier that payloads for this device are tied to; nil where they are not.
    ///
    /// Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }

    /// Begins to notify a listener, held weakly, of every change of the history.
    ///
    /// It may also be notified of changes that do not concern it.
    func follow(_ listener: any HistoryListener)
}

extension HistoryService {
    /// Replies with nil: the history is up to date.
    public func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) { reply(nil) }
    /// Nil: payloads are not tied to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Replies with a failure with the code `unknown`.
    public func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.unknown, "this store takes no requests for refunds")))
    }
}

/// A listener that a ``HistoryService`` notifies.
public protocol HistoryListener: AnyObject, Sendable {
    /// Reports that the history may have changed. Called without a lock, on any thread; must be quick.
    func historyChanged()
}

/// A ``HistoryService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncHistoryService: Sendable {
    /// Returns transactions; see ``HistoryService/transactions(_:reply:)``.
    ///
    /// - Throws: the reason why there is no result; a ``StoreFailure`` is passed on as it is.
    func transactions(_ query: HistoryQuery) async throws -> HistoryPage
    /// Returns the states of subscriptions.
    func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription]
    /// Returns the purchase of the app itself.
    func appTransaction() async throws -> SignedValue<AppTransactionPayload>
    /// Brings the history up to date with the account's other devices. Default: does nothing.
    func synchronize() async throws
    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool
    /// Requests a refund from the store's operator. Default: fails with the code `unknown`.
    func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer
    /// The identifier that payloads for this device are tied to. Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }
    /// Begins to notify a listener, held weakly, of every change of the history.
    func follow(_ listener: any HistoryListener)
}

extension AsyncHistoryService {
    /// Does nothing: the history is up to date.
    public func synchronize() async throws {}
    /// Nil: payloads are not tied to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Fails with the code `unknown`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        throw StoreFailure.storeKit(.unknown, "this store takes no requests for refunds")
    }
}

/// A switch that tells a store whether a history listener needs to be notified of changes.
///
/// The listener's owner turns it on before reading the history. A store that checks it under its own lock then misses no
/// change after that reading.
package final class HistoryAttention: Sendable {
    private let state = Atomic<Bool>(true)

    package init() {}

    package var isOn: Bool {
        get { state.load(ordering: .acquiring) }
        set { state.store(newValue, ordering: .releasing) }
    }
}

/// A listener that can turn its notifications off.
package protocol AttentiveHistoryListener: HistoryListener {
    var attention: HistoryAttention { get }
}

/// The history of a store in the same process, which returns a transaction synchronously, for a purchase just made.
package protocol ImmediateHistory: HistoryService {
    /// Returns one of the account's transactions; nil if it has none with that identifier.
    ///
    /// - Throws: the reason why there is no result, a ``StoreFailure``.
    func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>?
}

/// A query for transactions of the account that is signed in on a device.
public struct HistoryQuery: Hashable, Codable, Sendable {
    /// A selection of transactions.
    public enum Selection: Hashable, Sendable {
        /// The history: every transaction that the account bought, renewed or received from its family, newest first.
        ///
        /// Refunded transactions are included. Consumables are included only while unfinished, or if refunded.
        case all
        /// The purchased and restored transactions that no app has finished, oldest first.
        case unfinished
        /// The newest transaction of each product that the account may use now, newest first; no consumables.
        ///
        /// These are the non-consumables that are not refunded, all non-renewing subscriptions, even long expired ones, and
        /// the auto-renewable ones that are paid for or in their grace period.
        case entitlements
        /// The newest transaction of the product, or of each product, newest first.
        case latest
        /// Transactions that were refunded or are no longer shared by the family, in the order of revocation.
        ///
        /// Every page has a ``HistoryPage/next``, after which later revocations will follow. It is a position among the
        /// revocations of all accounts, so it means the same whoever signs in.
        case revoked
        /// The transactions with these identifiers, in this order; those that the account does not have are left out.
        case transactions([String])
    }

    /// The selection of transactions.
    public var selection: Selection
    /// The product; nil for every product.
    public var productIdentifier: String?
    /// Whether the history also includes finished consumables.
    public var includesFinishedConsumables = false
    /// The position after which to continue, a page's ``HistoryPage/next``; nil for the beginning.
    public var cursor: String?
    /// The largest number of transactions to return, at least 1.
    ///
    /// Does not apply to a selection by identifiers.
    public var limit = defaultLimit
    package static let defaultLimit = 256

    /// Creates a query; further properties are set afterwards.
    public init(_ selection: Selection, ofProduct productIdentifier: String? = nil) {
        self.selection = selection
        self.productIdentifier = productIdentifier
    }
}

/// One page of the result of a ``HistoryQuery``.
public struct HistoryPage: Sendable {
    /// The transactions, signed for the device.
    public var transactions: [SignedValue<TransactionPayload>]
    /// The position after which the next page begins; nil on the last page, unless the query's selection says otherwise.
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

    /// Decodes a selection by its type.
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

    /// Encodes the type, and the values that belong to it.
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

/// A query for subscriptions of the account that is signed in on a device.
public enum SubscriptionQuery: Hashable, Sendable {
    /// The subscriptions of every group in which the account ever had one.
    case all
    /// The subscriptions of one group: the account's own first, then those that its family shares.
    case group(String)
    /// The subscription that a transaction belongs to.
    case transaction(String)
}

extension SubscriptionQuery: Codable {
    private enum Kind: String, Codable { case all, group, transaction }
    private enum CodingKeys: String, CodingKey { case type, groupIdentifier, transactionIdentifier }

    /// Decodes a query by its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .all: self = .all
        case .group: self = .group(try container.decode(String.self, forKey: .groupIdentifier))
        case .transaction: self = .transaction(try container.decode(String.self, forKey: .transactionIdentifier))
        }
    }

    /// Encodes the type, and the values that belong to it.
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

/// The immediate response to a request for a refund.
public enum RefundAnswer: String, Hashable, Codable, Sendable {
    /// The request was accepted; the operator decides it later.
    case taken
    /// The transaction is refunded already, or a request for it is pending or was refused.
    case duplicate
    /// The transaction cannot be refunded: it cost nothing, or another member of the family bought it.
    case ineligible
}
