import StoreCore

/// A moment's view of a store's transactions and what they are part of.
struct TestHistory {
    let transactions: [SandboxTransaction]
    private let subscriptions: [String: SandboxSubscription]
    private let interrupted: Set<String>

    init(_ store: SandboxStore) throws {
        transactions = try store.transactions
        // A subscription of the group that begins anew after it was deleted has another original.
        subscriptions = Dictionary(store.account.subscriptions.map { ($0.originalTransaction, $0) }) { _, new in new }
        interrupted = Set(store.issues.map(\.transaction))
    }

    /// The transaction with a test transaction's number.
    func transaction(_ identifier: Int) throws -> SandboxTransaction {
        let name = String(identifier)
        guard let transaction = transactions.first(where: { $0.id == name }) else {
            throw SKTestError(.noTransactionFound, "no transaction \(identifier) is in the test environment")
        }
        return transaction
    }

    /// The subscription that a test transaction is part of.
    func subscription(_ identifier: Int) throws -> SandboxSubscription {
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

    /// What a client sees of them, the oldest first.
    var testTransactions: [SKTestTransaction] {
        transactions.map { transaction in
            let subscription = subscription(of: transaction)
            let isInTrouble = subscription?.state == .inBillingRetry || subscription?.state == .inGracePeriod
            return SKTestTransaction(
                transaction,
                SKTestTransaction.Standing(
                    original: transaction.original ?? transaction.id,
                    isRenewing: subscription?.willRenew ?? false,
                    hasIssue: isInterrupted(transaction) || isInTrouble,
                    awaitsConsent: subscription?.priceConsent == .pending
                )
            )
        }
    }
}
