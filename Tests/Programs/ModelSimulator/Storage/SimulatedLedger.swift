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

    func commit() throws {
        try cross(.append, .appended) {
            try disk.commit(process) { try ledger.commit() }
        }
    }

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
