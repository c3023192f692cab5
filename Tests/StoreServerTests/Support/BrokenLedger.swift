import StoreCore

/// A ledger in memory that fails when told to.
final class BrokenLedger: Ledger {
    private let ledger = MemoryLedger()
    private let state = Locked(false)
    private let count = Locked(0)

    struct Failure: Error {}

    var isBroken: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var calls: Int { count.withLock { $0 } }

    private func check() throws {
        count.withLock { $0 += 1 }
        if isBroken { throw Failure() }
    }

    var head: Int {
        get throws {
            try check()
            return ledger.head
        }
    }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try check()
        return ledger.append(records, ifHeadIs: head)
    }

    func commit() throws {
        try check()
        ledger.commit()
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        try check()
        return ledger.read(after: position, limit: limit)
    }
}
