/// A page of an account's history, as a server is given it.
package struct ServerHistoryPage: Sendable {
    /// The transactions, as they stand now.
    package let transactions: [SignedValue<TransactionPayload>]
    /// The revision behind which the next page begins; after the last page, what changes later.
    package let revision: String
    /// Whether there are more transactions now.
    package let hasMore: Bool
}
