import StoreCore
import StorePostgres

/// A ledger that appends to the database when it commits.
///
/// The database's own ledger commits what it appends at once. The simulator tells appending from committing, and crashes
/// in between.
final class StagedLedger: DurableLedger, @unchecked Sendable {  // unchecked: a run uses one thread
    private let process: PostgresProcess
    private var opened: (any SharedLedger)?
    /// The records that were appended and not committed.
    private var staged: [LedgerRecord] = []

    init(_ process: PostgresProcess) { self.process = process }

    /// A machine uses its ledger or its journal, and opens neither without need.
    private var ledger: any SharedLedger {
        get throws {
            if let opened { return opened }
            let ledger = try process.database.ledger(process.name, lane: .caller)
            opened = ledger
            return ledger
        }
    }

    var lane: BackendLane { .caller }

    var head: Int { get throws { try ledger.head + staged.count } }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        guard try self.head == head else { return false }
        staged += records
        return true
    }

    func commit() throws {
        if staged.isEmpty { return }
        // What fails to be committed was never appended.
        let records = staged
        staged = []
        let isAppended = try process.write {
            let ledger = try ledger
            return try ledger.append(records, ifHeadIs: ledger.head)
        }
        guard isAppended else { throw ForeignRecord() }
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let committed = try ledger.read(after: position, limit: limit)
        let first = try max(0, position - ledger.head)
        return committed + staged.dropFirst(first).prefix(limit - committed.count)
    }

    func snapshot() throws -> LedgerSnapshot? { try ledger.snapshot() }

    func keep(_ snapshot: LedgerSnapshot) throws { try process.write { try ledger.keep(snapshot) } }

    private struct ForeignRecord: Error, CustomStringConvertible {
        var description: String { "somebody else has appended a record" }
    }
}

/// A journal in the database whose process may end in the middle of a write.
final class StagedJournal: QueueJournal, @unchecked Sendable {  // unchecked: a run uses one thread
    private let process: PostgresProcess
    private var opened: (any QueueJournal)?

    init(_ process: PostgresProcess) { self.process = process }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        let journal = try process.database.journal(process.name)
        opened = journal
        return try journal.open(superseded: superseded)
    }

    func record(_ commands: [StoreCommand]) throws { try process.write { try opened?.record(commands) } }
    func forget(_ commands: [OrderID]) throws { try process.write { try opened?.forget(commands) } }
}
