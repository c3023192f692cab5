/// A ledger in memory, which is lost with its last reference.
///
/// Pass it to a second store to test that the store is reopened, or that several stores share a ledger. The ledger
/// grows by segments, so appending takes constant time. Any thread may call any member.
public final class MemoryLedger: Ledger {
    private let records = Locked(PackedRecords())

    /// Creates an empty ledger.
    public init() {}

    /// The number of records.
    public var head: Int { records.withLock { $0.count } }

    /// Appends records; returns false, with nothing appended, if the ledger has more records than `head`.
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

    /// Returns records in order, fewer than `limit` only at the end of the ledger.
    ///
    /// Never throws.
    public func read(after position: Int, limit: Int) -> [LedgerRecord] {
        records.withLock { $0.read(after: position, limit: limit) }
    }
}
