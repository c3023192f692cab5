import StoreCore

/// A snapshot of a store's transactions and their subscriptions.
struct TestHistory {
    let transactions: [SandboxTransaction]
    private let subscriptions: [String: SandboxSubscription]
    private let interrupted: Set<String>

    init(_ store: SandboxStore) throws {
        transactions = try store.transactions
        // No key occurs twice: a subscription that starts again after its deletion has another original transaction.
        subscriptions = Dictionary(store.account.subscriptions.map { ($0.originalTransaction, $0) }) { _, new in new }
        interrupted = Set(store.interruptedPurchases.map(\.transaction))
    }

    /// Returns the transaction with a test transaction's number.
    func transaction(_ identifier: UInt) throws -> SandboxTransaction {
        let name = String(identifier)
        guard let transaction = transactions.first(where: { $0.id == name }) else {
            throw SKTestError(.noTransactionFound, "no transaction \(identifier) is in the test environment")
        }
        return transaction
    }

    /// Returns the subscription of a test transaction.
    func subscription(_ identifier: UInt) throws -> SandboxSubscription {
        let transaction = try transaction(identifier)
        guard let subscription = subscription(of: transaction) else {
            throw SKTestError(
                .noSubscriptionFound,
                "the transaction \(identifier) of \"\(transaction.productIdentifier)\" belongs to no subscription"
            )
        }
        return subscription
    }

    func subscription(of transaction: SandboxTransaction) -> SandboxSubscription? {
        subscriptions[transaction.original ?? transaction.id]
    }

    func isInterrupted(_ transaction: SandboxTransaction) -> Bool { interrupted.contains(transaction.id) }

    /// The transactions as a client sees them, oldest first.
    var testTransactions: [SKTestTransaction] {
        transactions.lazy.filter { $0.held == nil }.map { transaction in
            let subscription = subscription(of: transaction)
            let isInTrouble = subscription?.state == .inBillingRetryPeriod || subscription?.state == .inGracePeriod
            return SKTestTransaction(
                transaction,
                SKTestTransaction.Standing(
                    original: transaction.original ?? transaction.id,
                    isRenewing: subscription?.isAutoRenewOn ?? false,
                    hasIssue: isInterrupted(transaction) || isInTrouble,
                    awaitsConsent: subscription?.priceConsent == .pending
                )
            )
        }
    }
}
