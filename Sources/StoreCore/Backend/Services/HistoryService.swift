import Foundation
import Synchronization

/// A service by which a store reports an account's purchases, for Store Kit 2.
///
/// All results concern the account that is signed in on the device; they are empty if none is. Every requirement may be
/// called on any thread. Each reply must be called once, on any thread, before the method returns or later; a store on
/// a network replies later, instead of blocking the thread.
public protocol HistoryService: Sendable {
    /// Looks up transactions.
    ///
    /// - Parameters:
    ///   - query: the selection of transactions. Its cursor may come from an earlier launch.
    ///   - reply: receives a page, or the reason why the store has no result.
    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void)

    /// Looks up the states of subscriptions.
    ///
    /// - Parameters:
    ///   - query: the selection of subscriptions.
    ///   - reply: receives the subscriptions, each with its newest transaction, or the reason why the store has no
    ///     result.
    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    )

    /// Looks up the purchase of the app itself.
    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void)

    /// Updates the history with changes made on the account's other devices; fails if nobody is signed in.
    ///
    /// The default implementation replies with nil, which is right for a store whose history is always up to date.
    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Returns whether the account is eligible for the introductory offers of a subscription group.
    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    )

    /// Requests a refund of a transaction from the store's operator.
    ///
    /// The default implementation fails with the code `unknown`.
    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    )

    /// The identifier of this device to which signed payloads are bound; nil if they are not bound to a device.
    ///
    /// Must not block. By default nil.
    var deviceVerificationID: UUID? { get }

    /// Begins to notify a listener, held weakly, of every change of the history.
    ///
    /// The listener may also be notified of changes that do not concern its account.
    func follow(_ listener: any HistoryListener)
}

extension HistoryService {
    /// Replies with nil: the history is always up to date.
    public func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) { reply(nil) }
    /// Nil: payloads are not bound to a device.
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
    /// - Throws: the reason why the store has no result; a ``StoreFailure`` reaches the app unchanged.
    func transactions(_ query: HistoryQuery) async throws -> HistoryPage
    /// Returns the states of subscriptions.
    func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription]
    /// Returns the purchase of the app itself.
    func appTransaction() async throws -> SignedValue<AppTransactionPayload>
    /// Updates the history with changes made on the account's other devices. By default, does nothing.
    func synchronize() async throws
    /// Returns whether the account is eligible for the introductory offers of a subscription group.
    func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool
    /// Requests a refund from the store's operator. By default, fails with the code `unknown`.
    func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer
    /// The identifier of this device to which signed payloads are bound. Must not block. By default nil.
    var deviceVerificationID: UUID? { get }
    /// Begins to notify a listener, held weakly, of every change of the history.
    func follow(_ listener: any HistoryListener)
}

extension AsyncHistoryService {
    /// Does nothing: the history is always up to date.
    public func synchronize() async throws {}
    /// Nil: payloads are not bound to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Fails with the code `unknown`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        throw StoreFailure.storeKit(.unknown, "this store takes no requests for refunds")
    }
}

/// A switch by which a history listener requests, or stops, notifications of changes.
///
/// The listener's owner turns the switch on before it reads the history. Since the store checks the switch under its
/// own lock, no change after that reading is missed.
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

/// The history of an in-process store, which can also return a transaction synchronously.
package protocol ImmediateHistory: HistoryService {
    /// Returns one of the account's transactions; nil if it has none with that identifier.
    ///
    /// - Throws: a ``StoreFailure`` that says why the store has no result.
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
        /// The transactions that no app has finished, purchased and restored ones, oldest first.
        case unfinished
        /// The newest transaction of each product to which the account is entitled now, newest first; no consumables.
        ///
        /// The entitlements are the non-consumables and the non-renewing subscriptions, even expired ones, that are not
        /// refunded, and the auto-renewable subscriptions that are paid for or in their grace period. Of a product that
        /// the account bought and its family shares too, both transactions are included.
        case entitlements
        /// The newest transaction of each product, or of the one product that the query names, newest first.
        case latest
        /// Transactions that were refunded or are no longer shared by the family, in the order of revocation.
        ///
        /// Every page has a ``HistoryPage/next``, from which later revocations can be read. It is a position among the
        /// revocations of all accounts, so it stays valid whoever signs in.
        case revoked
        /// The transactions with these identifiers, in this order, without those that the account does not have.
        case transactions([String])
    }

    /// The selection of transactions.
    public var selection: Selection
    /// The product to which the result is limited; nil for every product.
    public var productIdentifier: String?
    /// Whether the selections ``Selection/all`` and ``Selection/latest`` also include finished consumables.
    ///
    /// A selection by identifiers includes them in any case.
    public var includesFinishedConsumables = false
    /// The position after which to continue, from a page's ``HistoryPage/next``; nil to begin at the start.
    public var cursor: String?
    /// The maximum number of transactions to return, at least 1.
    ///
    /// It does not apply to a selection by identifiers.
    public var limit = defaultLimit
    package static let defaultLimit = 256

    /// Creates a query; all other properties can be set afterwards.
    public init(_ selection: Selection, ofProduct productIdentifier: String? = nil) {
        self.selection = selection
        self.productIdentifier = productIdentifier
    }
}

/// One page of the result of a ``HistoryQuery``.
public struct HistoryPage: Sendable {
    /// The transactions, signed for the device.
    public var transactions: [SignedValue<TransactionPayload>]
    /// The cursor of the next page; nil on the last page, except for the selection ``HistoryQuery/Selection/revoked``.
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
        case .transactions: self = .transactions(try container.decode([String].self, forKey: .transactionIdentifiers))
        }
    }

    /// Encodes the type of the selection, and the values that belong to it.
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
    /// The subscriptions of every group in which the account has or had one.
    case all
    /// The subscriptions of one group: the account's own first, then those that its family shares, then those that it
    /// no longer shares.
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

    /// Encodes the type of the query, and the values that belong to it.
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
    /// The request was accepted: it is decided at once, or later by the operator.
    case taken
    /// The transaction is already refunded, or a request for its refund is pending or was refused.
    case duplicate
    /// The transaction cannot be refunded: it was free, or another member of the family bought it.
    case ineligible
}
