import Foundation
import Synchronization

/// A store's service that answers for what an account has bought: what Store Kit 2 needs beyond a queue.
///
/// All answers are about the account that is signed in on the device, and empty where none is. Every requirement may be
/// called on any thread; each reply is to be called once, on any thread, before the call returns or later.
public protocol HistoryService: Sendable {
    /// Looks up transactions.
    ///
    /// - Parameters:
    ///   - query: the question. A cursor may be one of an earlier launch.
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
    /// Default: replies with nil, for a store whose answers are always up to date.
    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    )

    /// Asks the store's operator for a refund of a transaction.
    ///
    /// Default: fails with the code `unknown`.
    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    )

    /// The identifier that payloads for this device are tied to, nil where they are not.
    ///
    /// Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }

    /// Begins to notify a listener, held weakly, of every change of the answers.
    ///
    /// It may be notified of changes that do not concern it.
    func follow(_ listener: any HistoryListener)
}

extension HistoryService {
    /// Replies with nil: the answers are up to date.
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
    /// Announces that answers may have changed. Called without a lock, on any thread; must be quick.
    func historyChanged()
}

/// A ``HistoryService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncHistoryService: Sendable {
    /// Returns transactions; see ``HistoryService/transactions(_:reply:)``.
    ///
    /// - Throws: the reason why there is no answer; a ``StoreFailure`` is passed on as it is.
    func transactions(_ query: HistoryQuery) async throws -> HistoryPage
    /// Returns the states of subscriptions.
    func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription]
    /// Returns the purchase of the app itself.
    func appTransaction() async throws -> SignedValue<AppTransactionPayload>
    /// Brings the history up to date with the account's other devices. Default: does nothing.
    func synchronize() async throws
    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool
    /// Asks the store's operator for a refund. Default: fails with the code `unknown`.
    func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer
    /// The identifier that payloads for this device are tied to. Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }
    /// Begins to notify a listener, held weakly, of every change of the answers.
    func follow(_ listener: any HistoryListener)
}

extension AsyncHistoryService {
    /// Does nothing: the answers are up to date.
    public func synchronize() async throws {}
    /// Nil: payloads are not tied to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Fails with the code `unknown`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        throw StoreFailure.storeKit(.unknown, "this store takes no requests for refunds")
    }
}

/// Whether a listener to a history wants to hear of changes.
///
/// Turned on before its owner reads what it is to be told the changes of: a store that asks with its own lock held then misses
/// none.
package final class HistoryAttention: Sendable {
    private let state = Atomic<Bool>(true)

    package init() {}

    package var isOn: Bool {
        get { state.load(ordering: .acquiring) }
        set { state.store(newValue, ordering: .releasing) }
    }
}

/// A listener that need not hear of every change.
package protocol AttentiveHistoryListener: HistoryListener {
    var attention: HistoryAttention { get }
}

/// The history of a store in the same process, which is asked by value for what a purchase has just made.
package protocol ImmediateHistory: HistoryService {
    /// Returns one of the account's transactions; nil if it has none of that identifier.
    ///
    /// - Throws: the reason why there is no answer, a ``StoreFailure``.
    func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>?
}

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

/// A store's answer to a request for a refund.
public enum RefundAnswer: String, Hashable, Codable, Sendable {
    /// The request was taken; what becomes of it is the operator's decision.
    case taken
    /// The transaction is refunded already, or a request for it waits or was refused.
    case duplicate
    /// The transaction cannot be refunded: it cost nothing, or another member of the family bought it.
    case ineligible
}
