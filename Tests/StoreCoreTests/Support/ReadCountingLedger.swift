import StoreCore

/// A ledger in memory that counts the records that are read.
final class ReadCountingLedger: Ledger {
    private let ledger = MemoryLedger()
    private let counted = Locked(0)

    /// How many records were read since that was last forgotten.
    var recordsRead: Int { counted.withLock { $0 } }
    func forgetReads() { counted.withLock { $0 = 0 } }

    /// Returns how many records a body reads.
    func count(_ body: () throws -> Void) rethrows -> Int {
        forgetReads()
        try body()
        return recordsRead
    }

    var head: Int { ledger.head }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) -> Bool { ledger.append(records, ifHeadIs: head) }

    func commit() {}

    func read(after position: Int, limit: Int) -> [LedgerRecord] {
        let records = ledger.read(after: position, limit: limit)
        counted.withLock { $0 += records.count }
        return records
    }
}
