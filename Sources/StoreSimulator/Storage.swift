import StoreCore

/// The storage of a machine that survives a crash: a store's ledger, or the journal of a device's app.
///
/// Used on one thread.
public protocol StableStorage: AnyObject {
    /// Starts a process on what has been kept.
    ///
    /// Called once before each ``crash()``.
    ///
    /// - Parameter isOver: returns whether the process has crashed. Code that waits for a disk calls it before
    ///   each operation of the disk, and keeps nothing from then on.
    /// - Returns: the ledger and the journal, of which the process uses one.
    /// - Throws: an error that describes a flaw in the stored data.
    func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal)

    /// Crashes the process and its machine: whatever no commit has made durable may be lost.
    ///
    /// - Throws: the error that prevented the loss.
    func crash() throws

    /// Removes the stored data after the run.
    func remove()
}

/// The storage of the machines of simulated runs.
public struct Storage: Sendable {
    let name: String
    private let make: @Sendable (UInt64) throws -> any StableStorage

    /// Creates a storage for runs.
    ///
    /// - Parameters:
    ///   - name: a static property of `Storage` that gives the same, for the runs that failures print.
    ///   - make: creates an empty storage for a machine, from a seed that decides what crashes leave; called on any
    ///     thread.
    public init(_ name: String, make: @escaping @Sendable (_ seed: UInt64) throws -> any StableStorage) {
        self.name = name
        self.make = make
    }

    /// Storage in memory: a crash loses whatever was not committed, and nothing else.
    ///
    /// In one run of eight the store's ledger keeps snapshots too, which cost more than everything else there.
    public static let memory = Storage("memory") { seed in MemoryStorage(keepsSnapshots: seed & 7 == 0) }

    /// Creates the storage of one of a run's machines.
    func machine(_ number: UInt64, seed: UInt64) throws -> any StableStorage {
        var generator = SplitMix64(seed: seed, stream: number)
        return try make(generator.next())
    }
}

/// Storage in memory.
private final class MemoryStorage: StableStorage {
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
private class CommittedLedger: Ledger, @unchecked Sendable {  // unchecked: a life is lived on one thread
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
