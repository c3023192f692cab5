import Foundation
import StoreCore

/// One transaction of the test environment, as it was when it was asked for.
///
/// ``SKTestSession/allTransactions()`` has them: also what failed, what waits, and consumables, of which no receipt tells
/// (behaviour 217). Any thread may read one.
// unchecked: both properties are written by initializers only.
open class SKTestTransaction: NSObject, @unchecked Sendable {
    private final var transaction: SandboxTransaction?
    private final var standing = Standing()

    /// What the store knows beside the transaction itself.
    struct Standing {
        var original: String?
        var isRenewing = false
        var hasIssue = false
        var awaitsConsent = false
    }

    /// A transaction without content, to be filled in by a subclass.
    public override init() { super.init() }

    convenience init(_ transaction: SandboxTransaction, _ standing: Standing) {
        self.init()
        self.transaction = transaction
        self.standing = standing
    }

    /// The product.
    open var productIdentifier: String { transaction?.productIdentifier ?? "" }
    /// What has become of it.
    open var state: SKPaymentTransactionState {
        transaction.flatMap { SKPaymentTransactionState(rawValue: Int($0.state.rawValue)) } ?? .purchasing
    }
    /// The number that the session's methods know it by, which is also the payment transaction's identifier.
    ///
    /// The first one in a test environment is 0.
    open var identifier: Int { transaction.flatMap { Int($0.id) } ?? 0 }
    /// The first transaction of a subscription, or the one that a restore brought back; its own for every other.
    open var originalTransactionIdentifier: Int { standing.original.flatMap { Int($0) } ?? identifier }
    /// When it was bought, or renewed, or restored.
    open var purchaseDate: Date { transaction?.date ?? .distantPast }
    /// When the period ends, nil unless it is a subscription's.
    open var expirationDate: Date? { transaction?.expirationDate }
    /// Since when it does not count any more, because of a refund; nil while it counts.
    open var cancelDate: Date? { transaction?.cancellationDate }
    /// Whether its subscription will renew; false for what is none.
    open var autoRenewingEnabled: Bool { standing.isRenewing }
    /// Whether it waits for ``SKTestSession/approveAskToBuyTransaction(identifier:)``.
    open var pendingAskToBuyConfirmation: Bool { transaction?.state == .deferred }
    /// Whether it waits for ``SKTestSession/resolveIssueForTransaction(identifier:)``: it was interrupted, or its
    /// subscription's renewal could not be paid for.
    open var hasPurchaseIssue: Bool { standing.hasIssue }
    /// Whether its subscription waits for consent to a higher price.
    open var isPendingPriceIncreaseConsent: Bool { standing.awaitsConsent }

    /// The number, the product and what has become of it, in one line.
    open override var description: String { transaction?.description ?? "an empty transaction" }
}
