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

    /// The ledger for one call.
    private var whole: MemoryLedger {
        get throws {
            count.withLock { $0 += 1 }
            return if isBroken { throw Failure() } else { ledger }
        }
    }

    var head: Int { get throws { try whole.head } }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try whole.append(records, ifHeadIs: head)
    }

    func commit() throws { try whole.commit() }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        try whole.read(after: position, limit: limit)
    }
}
