/// A ledger that outlives the process, and keeps snapshots so that older records need not be replayed.
public protocol DurableLedger: Ledger {
    /// The lane on which queues call a store on this ledger: ``BackendLane/background`` for one that waits for a disk,
    /// so that no app does, and so that records added meanwhile are written together.
    var lane: BackendLane { get }

    /// The least number of records between two snapshots: 1,024 unless the ledger says otherwise.
    ///
    /// A ledger whose snapshots are cheap may ask for fewer, and a ledger under test for very few.
    var snapshotDistance: Int { get }

    /// Returns the snapshot that ``keep(_:)`` was given last; nil for none, or one that cannot be read any more.
    ///
    /// - Throws: the error that keeps it from being read. The store then reads all records.
    func snapshot() throws -> LedgerSnapshot?

    /// Replaces the snapshot. No record is removed with it.
    ///
    /// - Throws: the error that kept it from being written. The former one is then still there.
    func keep(_ snapshot: LedgerSnapshot) throws
}

extension DurableLedger {
    /// The number at which a snapshot costs little compared with the records before it.
    public var snapshotDistance: Int { 1024 }
}
