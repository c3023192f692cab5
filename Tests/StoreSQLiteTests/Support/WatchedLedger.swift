import StoreCore

/// A ledger that tells what a store reads of it.
final class WatchedLedger: DurableLedger {
    private let ledger: any DurableLedger
    private let began: @Sendable () -> Void
    private let read: @Sendable (_ records: Int) -> Void

    /// - Parameters:
    ///   - ledger: what to watch.
    ///   - began: called whenever a store begins on a snapshot.
    ///   - read: called with how many records a store has read.
    init(
        _ ledger: any DurableLedger,
        began: @escaping @Sendable () -> Void = {},
        read: @escaping @Sendable (_ records: Int) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.began = began
        self.read = read
    }

    var lane: BackendLane { ledger.lane }
    var head: Int { get throws { try ledger.head } }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try ledger.append(records, ifHeadIs: head)
    }

    func commit() throws { try ledger.commit() }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let records = try ledger.read(after: position, limit: limit)
        read(records.count)
        return records
    }

    func snapshot() throws -> LedgerSnapshot? {
        let snapshot = try ledger.snapshot()
        if snapshot != nil { began() }
        return snapshot
    }

    func keep(_ snapshot: LedgerSnapshot) throws { try ledger.keep(snapshot) }
}
