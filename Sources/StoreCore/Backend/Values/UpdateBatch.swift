/// A batch of consecutive updates, with the cursors before and after it.
///
/// Batches form a chain: each begins where the one before it ended. So a queue distinguishes a repetition from a loss.
/// A repetition ends at or before the queue's cursor and is ignored. A loss begins behind the cursor: the queue
/// reconnects from its cursor.
public struct UpdateBatch: Hashable, Codable, Sendable {
    /// The cursor that these updates follow.
    ///
    /// Nil begins a snapshot of unfinished transactions.
    public var after: UpdateCursor?
    /// The cursor behind these updates.
    ///
    /// A ``UpdateCursor/part`` here means that more of the snapshot follows.
    public var through: UpdateCursor
    /// The updates, in order.
    ///
    /// May be empty, as in the snapshot of a store without unfinished transactions, or where only the cursor moves: a queue
    /// that nothing concerns for long is then not told from far back when it reconnects.
    public var updates: [StoreUpdate]

    /// Makes a batch.
    public init(after: UpdateCursor?, through: UpdateCursor, updates: [StoreUpdate]) {
        self.after = after
        self.through = through
        self.updates = updates
    }
}
