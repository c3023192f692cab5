import Foundation
import StoreCore

/// A queue's journal in a database.
final class SQLiteJournal: QueueJournal {
    private let core: DatabaseCore
    private let opening = Opening()

    // unchecked: `superseded` is touched only under `lock`.
    private final class Opening: @unchecked Sendable {
        private let lock = NSLock()
        private var superseded: (@Sendable () -> Void)?

        func replace(with superseded: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
            lock.withLock {
                defer { self.superseded = superseded }
                return self.superseded
            }
        }
    }

    init(_ core: DatabaseCore) { self.core = core }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        // Stops the previous queue first, so it cannot record commands after those that are read here.
        opening.replace(with: superseded)?()
        let commands = try core.use { connection throws(SQLiteDatabaseError) in
            try read(connection)
        }
        return JournalContents(id: .unique(), commands: commands)
    }

    private func read(_ connection: Connection) throws(SQLiteDatabaseError) -> [StoreCommand] {
        let rows = try CommandRow.all(on: connection)
        let count = "SELECT count(*) FROM command INDEXED BY sqlite_autoindex_command_1"
        guard try connection.number(count) == rows.count else {
            throw SQLiteDatabaseError(damaged: core.name, "the commands of its journal are not those of their index")
        }
        return try rows.map { row throws(SQLiteDatabaseError) -> StoreCommand in
            do throws(StoredPayload.Unreadable) { return try row.command } catch {
                let command = "command \(row.sequence) of its journal"
                if error.isWhole {
                    throw SQLiteDatabaseError(.newer, "\(core.name) was written by a newer version: see \(command)")
                }
                throw SQLiteDatabaseError(damaged: core.name, "\(command) cannot be read, \(error.reason)")
            }
        }
    }

    func record(_ commands: [StoreCommand]) throws {
        let payloads = try commands.map { command in
            try StoredPayload(under: command.id.number) { try JSONEncoder().encode(command) }
        }
        try core.write { connection throws(SQLiteDatabaseError) in
            // If the number exists, the command is already recorded although the caller received an error; the row
            // stays.
            let insert = try connection.statement(
                "INSERT OR IGNORE INTO command (number, checksum, payload, journal) VALUES (?1, ?2, ?3, ?4)"
            )
            for (command, payload) in zip(commands, payloads) {
                try payload.bind(to: insert, under: command.id.number)
                try insert.bind(command.id.bits, at: 4)
                try insert.run()
            }
        }
    }

    func forget(_ commands: [OrderID]) throws {
        try core.write { connection throws(SQLiteDatabaseError) in
            let delete = try connection.statement("DELETE FROM command WHERE journal = ?1 AND number = ?2")
            for command in commands {
                try delete.bind(command.bits, at: 1)
                try delete.bind(command.number, at: 2)
                try delete.run()
            }
        }
    }
}
