import Foundation
import StoreCore
import StorePostgres
import StoreSimulator

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
