import StoreCore

/// The ledger on the store's disk, which outlives the store's processes.
final class LedgerDisk: @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let storage: any StableStorage
    /// The appended records that may still be there.
    private var records: [LedgerRecord] = []
    fileprivate(set) var committed = 0
    /// Whether a commit is under way, or was interrupted by a crash.
    fileprivate var isCommitting = false
    /// The number of records left by the last crash.
    private(set) var survived = 0

    init(_ storage: any StableStorage) { self.storage = storage }

    var head: Int { records.count }

    fileprivate func append(_ records: [LedgerRecord]) { self.records += records }

    /// Removes the records appended since the last commit.
    fileprivate func rollBack() { records.removeSubrange(committed...) }

    /// Opens the ledger for a launch of the store.
    func open(_ lifeline: CrashInjector) throws -> any Ledger {
        let pulse = lifeline.store
        let ledger = try storage.open {
            lifeline.passDisk()
            return pulse.isDead
        }.ledger
        let found = try ledger.head
        // An interrupted commit may have been kept, whole or not at all.
        guard found == committed || isCommitting && found == head else {
            let sentence = "\(committed) records were committed, \(head - committed) more not, and \(found) are left"
            throw StorageFailure(sentence)
        }
        records.removeSubrange(found...)
        let left = try ledger.read(after: 0, limit: found)
        if left != records {
            let place = zip(left, records).prefix { $0 == $1 }.count
            throw StorageFailure("record \(place) of \(found) is not the one that was appended")
        }
        survived = found
        committed = found
        isCommitting = false
        if let ledger = ledger as? any DurableLedger {
            return KeptDurableLedger(self, ledger, pulse, lifeline)
        }
        return KeptLedger(self, ledger, pulse, lifeline)
    }

    /// Crashes the machine: uncommitted records are lost with the process.
    func crash() throws { try storage.crash() }
    func remove() { storage.remove() }
}

/// The ledger of one launch of the store.
class KeptLedger: Ledger, @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let disk: LedgerDisk
    private let ledger: any Ledger
    private let pulse: ProcessState
    private let lifeline: CrashInjector

    init(_ disk: LedgerDisk, _ ledger: any Ledger, _ pulse: ProcessState, _ lifeline: CrashInjector) {
        self.disk = disk
        self.ledger = ledger
        self.pulse = pulse
        self.lifeline = lifeline
    }

    var head: Int {
        get throws {
            if pulse.isDead { throw Death() }
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
            disk.isCommitting = true
            do { try ledger.commit() } catch {
                // A process that is still running has been told that nothing was kept.
                if !pulse.isDead {
                    disk.rollBack()
                    disk.isCommitting = false
                }
                throw error
            }
            disk.committed = disk.head
            disk.isCommitting = false
        }
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        if pulse.isDead { throw Death() }
        return try ledger.read(after: position, limit: limit)
    }

    fileprivate func cross<R>(
        _ before: DirectCoverage.Place? = nil,
        _ after: DirectCoverage.Place? = nil,
        _ body: () throws -> R
    ) throws -> R {
        lifeline.pass(before)
        if pulse.isDead { throw Death() }
        let result = try body()
        lifeline.pass(after)
        if pulse.isDead { throw Death() }
        return result
    }
}

/// The same ledger on a disk that keeps snapshots too.
private final class KeptDurableLedger: KeptLedger, DurableLedger, @unchecked Sendable {
    // unchecked: a run uses one thread.
    private let ledger: any DurableLedger
    /// The records that this launch has read.
    ///
    /// A query for charges, as after every operation, reads all records.
    private var known: [LedgerRecord] = []

    init(_ disk: LedgerDisk, _ ledger: any DurableLedger, _ pulse: ProcessState, _ lifeline: CrashInjector) {
        self.ledger = ledger
        super.init(disk, ledger, pulse, lifeline)
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

/// A violation by a storage.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
