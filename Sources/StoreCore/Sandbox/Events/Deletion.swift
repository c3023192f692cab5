import Foundation

/// Transactions to delete as if they had never existed.
struct Deletion: Hashable, Codable, Sendable {
    /// All deleted transactions.
    let transactions: [TransactionNumber]
    /// The deleted transactions that were unfinished.
    let withdrawn: [Withdrawn]
    /// The subscriptions that end because nothing is left of the running period; nil in records of older versions
    /// of the store.
    var ended: [SubscriptionIndex]?

    /// A transaction that leaves the queues.
    struct Withdrawn: Hashable, Codable, Sendable {
        let transaction: TransactionNumber
        let order: OrderID?
        /// The account that the transaction belonged to, nil where no account was signed in.
        let account: AccountID?
        /// The device that had received the transaction; nil for all of the account's devices.
        let device: DeviceID?
    }
}
