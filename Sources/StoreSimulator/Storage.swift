import StoreCore

/// What a machine keeps when it dies: a store's ledger, or the journal of a device's app.
///
/// Used on one thread.
public protocol StableStorage: AnyObject {
    /// Starts a process on what has been kept.
    ///
    /// Called once before each ``crash()``.
    ///
    /// - Parameter isOver: whether the process has died. Whatever waits for a disk asks before each act of the disk, and keeps
    ///   nothing from then on.
    /// - Returns: the ledger and the journal, of which the process uses one.
    /// - Throws: what is wrong with what has been kept.
    func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal)

    /// The process has died, and the machine with it: what no commit has made last may be lost.
    ///
    /// - Throws: what kept it from being lost.
    func crash() throws

    /// The life is over, whatever came of it: nothing that was kept is needed any more.
    func remove()
}

/// Where the machines of simulated lives keep what outlives them.
public struct Storage: Sendable {
    let name: String
    private let make: @Sendable (UInt64) throws -> any StableStorage

    /// Puts together a storage that lives can be lived on.
    ///
    /// - Parameters:
    ///   - name: a static property of `Storage` that gives the same, for the lives that failures print.
    ///   - make: makes an empty storage for a machine, from a seed that decides what crashes leave; called on any thread.
    public init(_ name: String, make: @escaping @Sendable (_ seed: UInt64) throws -> any StableStorage) {
        self.name = name
        self.make = make
    }

    /// In memory: a crash takes what was not committed, and nothing else.
    ///
    /// In one life of eight the store's ledger keeps snapshots too, which cost more than all else there.
    public static let memory = Storage("memory") { seed in MemoryStorage(keepsSnapshots: seed & 7 == 0) }

    /// Makes the storage of one of a life's machines.
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

/// A ledger in memory that knows what was committed.
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

/// The same with snapshots.
private final class SnapshotLedger: CommittedLedger, DurableLedger, @unchecked Sendable {
    // unchecked: a life is lived on one thread.
    private var kept: LedgerSnapshot?

    var lane: BackendLane { .caller }

    func snapshot() -> LedgerSnapshot? { kept }
    func keep(_ snapshot: LedgerSnapshot) { kept = snapshot }

    /// With records that were not committed goes what has taken them in.
    override func crash() {
        super.crash()
        if let kept, kept.position > head { self.kept = nil }
    }
}
