import Foundation

/// Transactions that are to be as if they had never been.
struct Deletion: Hashable, Codable, Sendable {
    /// All of them.
    let transactions: [Int]
    /// Those of them that were not finished.
    let withdrawn: [Withdrawn]
    /// The subscriptions that end because nothing is left of the running period, nil in what older versions of the store
    /// wrote.
    var ended: [Int]?

    /// A transaction that leaves the queues.
    struct Withdrawn: Hashable, Codable, Sendable {
        let transaction: Int
        let order: OrderID?
        /// Whose it was, nil where nobody was signed in.
        let account: Int?
        /// Where it was heard of; nil for all of the account's devices.
        let device: Int?
    }
}
