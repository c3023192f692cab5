import Foundation
import StoreCore
import StorePostgres

/// A machine's store and journal in the database, under a name of its own.
final class PostgresStorage: StableStorage {
    private let simulator: SimulatorDatabase
    private let name = UUID().uuidString
    private var database: PostgresDatabase?

    init(_ simulator: SimulatorDatabase) { self.simulator = simulator }

    deinit { remove() }

    func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal) {
        let database = try simulator.open()
        self.database = database
        let process = PostgresProcess(database: database, name: name, isOver: isOver)
        return (StagedLedger(process), StagedJournal(process))
    }

    func crash() {
        database?.close()
        database = nil
    }

    func remove() {
        crash()
        try? simulator.remove(name)
    }
}

/// A process that uses the database until it crashes.
struct PostgresProcess: Sendable {
    let database: PostgresDatabase
    /// The name of its store and of its journal.
    let name: String
    let isOver: @Sendable () -> Bool

    /// The end of a process in the middle of a write.
    struct Over: Error {}

    /// Writes.
    ///
    /// The process may end before the statements are sent, and before their answer has come.
    func write<R>(_ body: () throws -> R) throws -> R {
        if isOver() { throw Over() }
        let result = try body()
        if isOver() { throw Over() }
        return result
    }
}

extension Storage {
    /// Storage in a PostgreSQL database, a store or a journal there for each machine.
    ///
    /// The database is the one that libpq's environment names, as in `PGHOST`, `PGDATABASE` or `PGSERVICE`, where a role
    /// that may create a schema is needed. Without them a server is started in the directory for temporary files, and
    /// removed when the process ends.
    ///
    /// A crash is the death of the process: its connections are closed, and what it has not committed is gone. What a
    /// run has written is removed with the run.
    ///
    /// No run begins where libpq's header was missing when this was built, or PostgreSQL's server is missing: see
    /// `Postgres.isAvailable`.
    package static let postgres = Storage("postgres") { _ in try PostgresStorage(SimulatorDatabase.shared.get()) }
}
