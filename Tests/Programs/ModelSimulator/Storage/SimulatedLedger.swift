import StoreCore

/// The ledger of one launch of the store.
class SimulatedLedger: Ledger, @unchecked Sendable {  // unchecked: a run uses one thread
    private let disk: LedgerDisk
    private let ledger: any Ledger
    private let process: ProcessState
    private let crashInjector: CrashInjector

    init(_ disk: LedgerDisk, _ ledger: any Ledger, _ process: ProcessState, _ crashInjector: CrashInjector) {
        self.disk = disk
        self.ledger = ledger
        self.process = process
        self.crashInjector = crashInjector
    }

    var head: Int {
        get throws {
            if process.hasCrashed { throw ProcessState.Crashed() }
            return try ledger.head
        }
    }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try cross(.append, .appended) {
            guard try ledger.append(records, ifHeadIs: head) else { return false }
            disk.append(records)
            return true
        }
    }

    func commit() throws { try cross(.append, .appended) { try disk.commit(process) { try ledger.commit() } } }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        if process.hasCrashed { throw ProcessState.Crashed() }
        return try ledger.read(after: position, limit: limit)
    }

    func cross<R>(
        _ before: DirectCoverage.Boundary? = nil,
        _ after: DirectCoverage.Boundary? = nil,
        _ body: () throws -> R
    ) throws -> R {
        crashInjector.pass(before)
        if process.hasCrashed { throw ProcessState.Crashed() }
        let result = try body()
        crashInjector.pass(after)
        if process.hasCrashed { throw ProcessState.Crashed() }
        return result
    }
}

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
