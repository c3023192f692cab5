import StoreCore

/// What the store has on its disk: it outlives the stores.
final class LedgerDisk: @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let storage: any StableStorage
    fileprivate(set) var head = 0
    fileprivate(set) var committed = 0
    /// How many records the last crash left.
    private(set) var survived = 0

    init(_ storage: any StableStorage) { self.storage = storage }

    /// The ledger for a launch of the store.
    func open(_ lifeline: Lifeline) throws -> any Ledger {
        let pulse = lifeline.store
        let ledger = try storage.open {
            lifeline.passDisk()
            return pulse.isDead
        }.ledger
        let found = try ledger.head
        // What was being committed may have been kept, all of it or nothing.
        guard found == committed || found == head else {
            let sentence = "\(committed) records were committed, \(head - committed) more not, and \(found) are left"
            throw StorageFailure(sentence)
        }
        survived = found
        committed = found
        head = found
        if let ledger = ledger as? any DurableLedger {
            return KeptDurableLedger(self, ledger, pulse, lifeline)
        }
        return KeptLedger(self, ledger, pulse, lifeline)
    }

    /// What was not committed is lost with the process.
    func crash() throws { try storage.crash() }
    func remove() { storage.remove() }
}

/// The ledger of one launch of the store.
class KeptLedger: Ledger, @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let disk: LedgerDisk
    private let ledger: any Ledger
    private let pulse: Pulse
    private let lifeline: Lifeline

    init(_ disk: LedgerDisk, _ ledger: any Ledger, _ pulse: Pulse, _ lifeline: Lifeline) {
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
        try cross {
            guard try ledger.append(records, ifHeadIs: head) else { return false }
            disk.head = head + records.count
            return true
        }
    }

    func commit() throws {
        try cross {
            do { try ledger.commit() } catch {
                // Who lives on has been told that nothing was kept.
                if !pulse.isDead { disk.head = disk.committed }
                throw error
            }
            disk.committed = disk.head
        }
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        if pulse.isDead { throw Death() }
        return try ledger.read(after: position, limit: limit)
    }

    fileprivate func cross<R>(_ body: () throws -> R) throws -> R {
        lifeline.pass()
        if pulse.isDead { throw Death() }
        let result = try body()
        lifeline.pass()
        if pulse.isDead { throw Death() }
        return result
    }
}

/// The same on a disk that keeps snapshots too.
private final class KeptDurableLedger: KeptLedger, DurableLedger, @unchecked Sendable {
    // unchecked: a life is lived on one thread.
    private let ledger: any DurableLedger
    /// What this launch has read.
    ///
    /// Who asks what was charged, as is done after every step, reads all there is.
    private var known: [LedgerRecord] = []

    init(_ disk: LedgerDisk, _ ledger: any DurableLedger, _ pulse: Pulse, _ lifeline: Lifeline) {
        self.ledger = ledger
        super.init(disk, ledger, pulse, lifeline)
    }

    var lane: BackendLane { ledger.lane }
    /// So few that short lives have some.
    let snapshotDistance = 8

    override func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let end = position + limit
        if known.count < end { known += try super.read(after: known.count, limit: end - known.count) }
        return Array(known[min(position, known.count)..<min(end, known.count)])
    }

    func snapshot() throws -> LedgerSnapshot? { try cross { try ledger.snapshot() } }
    func keep(_ snapshot: LedgerSnapshot) throws { try cross { try ledger.keep(snapshot) } }
}

/// What a storage did that it must not do.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
