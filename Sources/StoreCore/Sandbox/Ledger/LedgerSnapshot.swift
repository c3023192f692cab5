import Foundation

/// The state after a ledger's first records, so that a store need not replay them when it opens.
///
/// It is only a shortcut: without it, or where another version of the store wrote it, all records are read.
public struct LedgerSnapshot: Hashable, Sendable {
    /// The number of records that it covers.
    public let position: Int
    /// The encoded state, in a form private to the store.
    public let state: Data

    /// Creates a snapshot from its kept parts.
    public init(position: Int, state: Data) {
        self.position = position
        self.state = state
    }
}
