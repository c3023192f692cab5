import StoreCore
import StorePostgres

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
