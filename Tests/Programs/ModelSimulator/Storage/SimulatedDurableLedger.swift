import StoreCore

/// The same ledger on a disk that keeps snapshots too.
final class SimulatedDurableLedger: SimulatedLedger, DurableLedger, @unchecked Sendable {
    // unchecked: a run uses one thread.
    private let ledger: any DurableLedger
    /// The records that this launch has read.
    ///
    /// A query for charges, as after every operation, reads all records.
    private var known: [LedgerRecord] = []

    init(_ disk: LedgerDisk, _ ledger: any DurableLedger, _ process: ProcessState, _ crashInjector: CrashInjector) {
        self.ledger = ledger
        super.init(disk, ledger, process, crashInjector)
    }

    var lane: BackendLane { ledger.lane }
    /// A distance short enough for short runs to have snapshots.
    let snapshotDistance = 8

    override func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let end = position + limit
        if known.count < end { known += try super.read(after: known.count, limit: end - known.count) }
        return Array(known[min(position, known.count)..<min(end, known.count)])
    }

    func snapshot() throws -> LedgerSnapshot? { try cross { try ledger.snapshot() } }
    func keep(_ snapshot: LedgerSnapshot) throws { try cross { try ledger.keep(snapshot) } }
}
