import StoreCore

/// What the store has on its disk: it outlives the stores.
final class LedgerDisk: @unchecked Sendable {  // unchecked: a life is lived on one thread
    fileprivate(set) var records: [LedgerRecord] = []
    fileprivate(set) var committed = 0
    /// How many records the last crash left.
    private(set) var survived = 0

    /// What was not committed is lost with the process.
    func crash() {
        records.removeSubrange(committed...)
        survived = committed
    }
}

/// The ledger of one launch of the store.
final class KeptLedger: Ledger {
    private let disk: LedgerDisk
    private let pulse: Pulse
    private let lifeline: Lifeline

    init(_ disk: LedgerDisk, _ pulse: Pulse, _ lifeline: Lifeline) {
        self.disk = disk
        self.pulse = pulse
        self.lifeline = lifeline
    }

    var head: Int {
        get throws {
            if pulse.isDead { throw Death() }
            return disk.records.count
        }
    }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try cross {
            guard disk.records.count == head else { return false }
            disk.records += records
            return true
        }
    }

    func commit() throws { try cross { disk.committed = disk.records.count } }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        if pulse.isDead { throw Death() }
        return Array(disk.records[position..<max(position, min(disk.records.count, position + limit))])
    }

    private func cross<R>(_ body: () -> R) throws -> R {
        lifeline.pass()
        if pulse.isDead { throw Death() }
        let result = body()
        lifeline.pass()
        if pulse.isDead { throw Death() }
        return result
    }
}
