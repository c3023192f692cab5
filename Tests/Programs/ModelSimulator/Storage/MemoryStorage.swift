import StoreCore

/// Storage in memory.
final class MemoryStorage: StableStorage {
    private let ledger: CommittedLedger
    private let journal = MemoryJournal()

    init(keepsSnapshots: Bool) { ledger = keepsSnapshots ? SnapshotLedger() : CommittedLedger() }

    func open(isOver: @escaping @Sendable () -> Bool) -> (ledger: any Ledger, journal: any QueueJournal) {
        (ledger, journal)
    }

    func crash() { ledger.crash() }
    func remove() {}
}

/// A ledger in memory that knows which records were committed.
private class CommittedLedger: Ledger, @unchecked Sendable {  // unchecked: a run uses one thread
    private var records: [LedgerRecord] = []
    private var committed = 0

    var head: Int { records.count }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) -> Bool {
        guard self.records.count == head else { return false }
        self.records += records
        return true
    }

    func commit() { committed = records.count }

    func read(after position: Int, limit: Int) -> [LedgerRecord] {
        Array(records[position..<max(position, min(records.count, position + limit))])
    }

    func crash() { records.removeSubrange(committed...) }
}

/// The same ledger with snapshots.
private final class SnapshotLedger: CommittedLedger, DurableLedger, @unchecked Sendable {
    // unchecked: a run uses one thread.
    private var kept: LedgerSnapshot?

    var lane: BackendLane { .caller }

    func snapshot() -> LedgerSnapshot? { kept }
    func keep(_ snapshot: LedgerSnapshot) { kept = snapshot }

    /// A snapshot goes with the uncommitted records that it contains.
    override func crash() {
        super.crash()
        if let kept, kept.position > head { self.kept = nil }
    }
}
