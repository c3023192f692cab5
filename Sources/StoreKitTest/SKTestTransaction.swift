import Foundation
import StoreCore

/// A snapshot of a transaction of the test environment.
///
/// ``SKTestSession/allTransactions()`` also returns failed and deferred transactions, and finished ones of consumables,
/// none of which a receipt contains (behavior 217). Any thread may read a transaction.
// unchecked: both properties are written by initializers only.
open class SKTestTransaction: NSObject, @unchecked Sendable {
    private final var transaction: SandboxTransaction?
    private final var standing = Standing()

    /// The store's further information about a transaction, such as the state of its subscription.
    struct Standing {
        var original: String?
        var isRenewing = false
        var hasIssue = false
        var awaitsConsent = false
    }

    /// Creates a transaction without content, to be filled in by a subclass.
    public override init() { super.init() }

    convenience init(_ transaction: SandboxTransaction, _ standing: Standing) {
        self.init()
        self.transaction = transaction
        self.standing = standing
    }

    /// The identifier of the product.
    open var productIdentifier: String { transaction?.productIdentifier ?? "" }
    /// The state of the transaction.
    open var state: SKPaymentTransactionState {
        transaction.flatMap { SKPaymentTransactionState(rawValue: Int($0.state.rawValue)) } ?? .purchasing
    }
    /// The transaction's number for the session's methods, which is also the payment transaction's identifier.
    ///
    /// The first one in a test environment is 0.
    open var identifier: UInt { transaction.flatMap { UInt($0.id) } ?? 0 }
    /// The number of a subscription's first transaction, or of the one that was restored; otherwise ``identifier``.
    open var originalTransactionIdentifier: UInt { standing.original.flatMap { UInt($0) } ?? identifier }
    /// The date of the purchase, renewal or restore.
    open var purchaseDate: Date { transaction?.date ?? .distantPast }
    /// The end of a subscription's period; nil for other products.
    open var expirationDate: Date? { transaction?.expirationDate }
    /// The date of the refund, which ended the entitlement; nil if there is none.
    open var cancelDate: Date? { transaction?.cancellationDate }
    /// Whether the transaction's subscription will renew; false if there is none.
    open var autoRenewingEnabled: Bool { standing.isRenewing }
    /// Whether the transaction waits for ``SKTestSession/approveAskToBuyTransaction(identifier:)-(UInt)``.
    open var pendingAskToBuyConfirmation: Bool { transaction?.state == .deferred }
    /// Whether the transaction waits for ``SKTestSession/resolveIssueForTransaction(identifier:)-(UInt)``: it was
    /// interrupted, or its subscription's renewal failed.
    open var hasPurchaseIssue: Bool { standing.hasIssue }
    /// Whether the transaction's subscription waits for consent to a higher price.
    open var isPendingPriceIncreaseConsent: Bool { standing.awaitsConsent }

    /// The number, the product and the state, in one line.
    open override var description: String { transaction?.description ?? "an empty transaction" }
}
