/// A ledger in memory.
///
/// The ledger grows by segments, so appending takes constant time.
public final class MemoryLedger: Ledger {
    private let records = Locked(PackedRecords())

    /// Creates an empty ledger.
    public init() {}

    /// The number of records.
    public var head: Int { records.withLock { $0.count } }

    /// Appends records.
    ///
    /// Never throws.
    public func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool {
        records.withLock { records in
            guard records.count == head else { return false }
            for index in new.indices { records.append(new[index]) }
            return true
        }
    }

    /// Does nothing: records in memory need no commit.
    public func commit() {}

    /// Returns records in order.
    ///
    /// Never throws.
    public func read(after position: Int, limit: Int) -> [LedgerRecord] {
        records.withLock { $0.read(after: position, limit: limit) }
    }
}
