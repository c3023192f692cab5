import Foundation
import StoreCore

#if canImport(CSQLite)
    /// The connection that a database's ledger and journal share, and the order of its users.
    // unchecked: `connection`, `refusal` and `notes` are touched only during a turn.
    final class DatabaseCore: @unchecked Sendable {
        private typealias Write = (Connection) throws(SQLiteDatabaseError) -> Void

        let name: String
        private let log: StoreLog
        private let turns = TurnQueue<Write, Result<Void, SQLiteDatabaseError>>()
        /// The connection; nil when closed.
        private var connection: Connection?
        /// The reason why the file was abandoned, if it was.
        private var refusal: SQLiteDatabaseError?
        /// Lines for the log from the current turn, logged once it is over.
        private var notes: [String] = []

        init(
            _ file: URL,
            _ policy: CommitPolicy,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(SQLiteDatabaseError) {
            self.log = log
            name = file.lastPathComponent
            let connection = try Connection(DatabasePath(file, fileSystem: fileSystem), patience: patience)
            // Until the file is known to be StoreSQLite's.
            try connection.keepLog(true)
            try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
            if connection.isReadOnly { throw SQLiteDatabaseError(.readOnly, "\(name) may not be written") }
            // One user at a time: the first lock is never released, and nothing is shared with other processes.
            try connection.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA cell_size_check = ON;
                \(policy.pragmas)
                """
            )
            try Migration.run(on: connection, name: name)
            try connection.keepLog(false)
            try connection.watchLog(checkpointInterval: policy.checkpointInterval)
            self.connection = connection
        }

        deinit {
            for line in connection?.close() ?? [] { log(line) }
        }

        /// Reads, or runs exclusive work.
        ///
        /// After it finds a file that a newer version wrote, or that was lost, everything fails: see `giveUp(_:after:)`.
        func use<R>(_ body: (Connection) throws(SQLiteDatabaseError) -> R) throws(SQLiteDatabaseError) -> R {
            var lines: [String] = []
            defer { for line in lines { log(line) } }
            return try turns.exclusively { () throws(SQLiteDatabaseError) in
                defer { lines = takeNotes() }
                let connection = try available.get()
                do throws(SQLiteDatabaseError) {
                    try connection.checkFiles()
                    return try body(connection)
                } catch {
                    giveUp(connection, after: error)
                    throw error
                }
            }
        }

        /// Refuses everything from now on if an error shows that the file is unusable, and leaves it unchanged.
        ///
        /// Must be called during the caller's turn.
        ///
        /// - Returns: whether the file is unusable.
        @discardableResult
        private func giveUp(_ connection: Connection, after error: SQLiteDatabaseError) -> Bool {
            switch error.code {
            case .newer: try? connection.keepLog(true)
            case .fileLost: connection.abandon(because: error).forEach(note)
            default: return false
            }
            refusal = error
            return true
        }

        /// Commits all writes of a closure or none.
        ///
        /// Returns once the writes are durable. Concurrent writes of several threads are committed in one transaction,
        /// which the first thread runs for all.
        func write(_ body: (Connection) throws(SQLiteDatabaseError) -> Void) throws(SQLiteDatabaseError) {
            var lines: [String] = []
            defer { for line in lines { log(line) } }
            try withoutActuallyEscaping(body) { body throws(SQLiteDatabaseError) in
                try turns.serve(body) { group in
                    defer { lines = takeNotes() }
                    return run(group, on: available)
                }.get()
            }
        }

        /// Returns the result of each write, not yet delivered to its caller.
        private func run(
            _ group: [Write],
            on connection: Result<Connection, SQLiteDatabaseError>
        ) -> [Result<Void, SQLiteDatabaseError>] {
            let result = { (writes: ArraySlice<Write>) -> Result<Void, SQLiteDatabaseError> in
                Result { () throws(SQLiteDatabaseError) in
                    let connection = try connection.get()
                    try connection.transaction { () throws(SQLiteDatabaseError) in
                        for write in writes { try write(connection) }
                    }
                }
            }
            let common = result(group[...])
            guard case .failure(let error) = common, let connection = try? connection.get() else {
                return group.map { _ in common }
            }
            if giveUp(connection, after: error) || group.count == 1 { return group.map { _ in common } }
            // A failing write must not affect the others.
            return group.indices.map { result(group[$0...$0]) }
        }

        /// Adds a line for the log during the caller's turn, after which it is logged.
        func note(_ line: String) { notes.append(line) }

        /// Closes the file after the work in progress; the file is free when this returns.
        func close() {
            var lines: [String] = []
            turns.exclusively {
                // Closed here, and not by the last release: a thread that has just used it may still hold a reference.
                connection.take()?.close().forEach(note)
                lines = takeNotes()
            }
            for line in lines { log(line) }
        }

        private func takeNotes() -> [String] {
            defer { notes = [] }
            return notes
        }

        /// The connection, or the reason why there is none.
        ///
        /// Must be read during a turn.
        private var available: Result<Connection, SQLiteDatabaseError> {
            guard let connection else {
                return .failure(SQLiteDatabaseError(.closed, "\(name) has been closed"))
            }
            return refusal.map { .failure($0) } ?? .success(connection)
        }
    }
#else

    /// The placeholder for a database without SQLite: never created.
    final class DatabaseCore: Sendable {
        init(
            _ file: URL,
            _ policy: CommitPolicy,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(SQLiteDatabaseError) {
            throw .unavailable
        }

        func damage() throws(SQLiteDatabaseError) -> [DamagedRecord] { throw .unavailable }
        func check() throws(SQLiteDatabaseError) -> [String] { throw .unavailable }
        func close() {}
    }
#endif

#if canImport(CSQLite)
    // Unreadable records are set apart and reported; all others remain available.
    extension DatabaseCore {
        func damage() throws(SQLiteDatabaseError) -> [DamagedRecord] {
            try use { connection throws(SQLiteDatabaseError) in
                let rows = try connection.statement("SELECT place, number, reason FROM damaged ORDER BY id")
                defer { rows.reset() }
                var damage: [DamagedRecord] = []
                while try rows.step() {
                    guard let place = DamagedRecord.Place(rawValue: rows.text(0) ?? "") else { continue }
                    damage.append(DamagedRecord(place: place, number: rows.integer(1), reason: rows.text(2) ?? ""))
                }
                return damage
            }
        }

        func check() throws(SQLiteDatabaseError) -> [String] {
            try use { connection throws(SQLiteDatabaseError) in
                let rows = try connection.statement("PRAGMA integrity_check")
                defer { rows.reset() }
                var lines: [String] = []
                while try rows.step() { lines.append(rows.text(0) ?? "") }
                return lines == ["ok"] ? [] : lines
            }
        }

        /// Reports unreadable records, and moves their data to the table of damaged records; `remove` deletes each from its
        /// own table.
        ///
        /// If that cannot be written they stay, to be found again.
        func setApart(
            _ damaged: [(record: DamagedRecord, data: Data)],
            on connection: Connection,
            remove: (DamagedRecord) throws(SQLiteDatabaseError) -> Void
        ) {
            if damaged.isEmpty { return }
            for (record, _) in damaged {
                note(
                    "record \(record.number) of the \(record.place.rawValue) cannot be read and is set apart: \(record.reason)"
                )
            }
            do {
                try connection.transaction { () throws(SQLiteDatabaseError) in
                    for (record, data) in damaged {
                        try keep(record, data, on: connection)
                        try remove(record)
                    }
                }
            } catch { note("what cannot be read could not be set apart: \(error)") }
        }

        /// Stores the data of an unreadable record in the table of damaged records.
        func keep(_ record: DamagedRecord, _ data: Data, on connection: Connection) throws(SQLiteDatabaseError) {
            let insert = try connection.statement(
                "INSERT INTO damaged (place, number, reason, payload) VALUES (?1, ?2, ?3, ?4)"
            )
            try insert.bind(record.place.rawValue, at: 1)
            try insert.bind(record.number, at: 2)
            try insert.bind(record.reason, at: 3)
            try insert.bind(data, at: 4)
            try insert.run()
        }

        /// Renames a table that SQLite cannot read completely, and creates an empty one in its place.
        ///
        /// - Returns: the new name of the old table, which is retained for inspection.
        @discardableResult
        func setAside(_ table: String, on connection: Connection) throws(SQLiteDatabaseError) -> String {
            let sql = try connection.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = '\(table)'")
            let count = try connection.number(
                "SELECT count(*) FROM sqlite_master WHERE name GLOB '\(table)_damaged_*'"
            )
            let name = "\(table)_damaged_\((count ?? 0) + 1)"
            try connection.execute("ALTER TABLE \(table) RENAME TO \(name); \(sql ?? "")")
            return name
        }
    }
#endif

/// The settings that determine what a commit waits for.
struct CommitPolicy {
    let pragmas: String
    /// The number of frames in the log at which a commit checkpoints it into the file.
    let checkpointInterval: Int

    /// Waits for the disk.
    ///
    /// The log is kept short, because a growing file takes longer to synchronize than one that is overwritten.
    static let full = CommitPolicy(pragmas: "PRAGMA synchronous = FULL;", checkpointInterval: 128)
    /// Waits for the system only.
    static let normal = CommitPolicy(pragmas: "PRAGMA synchronous = NORMAL;", checkpointInterval: 1000)
}

/// A record that could not be read.
///
/// It is retained unchanged for inspection: in the table `damaged`, or, if SQLite cannot read its page, in the renamed
/// original table, which then has a name such as `record_damaged_1`.
public struct DamagedRecord: Hashable, Sendable {
    /// The part of the file that held the record.
    public enum Place: String, Hashable, Sendable {
        /// The store's ledger.
        case ledger
        /// The queue's journal.
        case journal
        /// The snapshot of the ledger's older records, whose loss costs only time.
        case snapshot
    }

    /// The part of the file that held it.
    public let place: Place
    /// The record's number in that part.
    public let number: Int
    /// The damage, in one line.
    public let reason: String
}

#if canImport(CSQLite)
    /// A check of a file's header before SQLite opens it: SQLite would modify a database of another program.
    enum DatabaseFile {
        /// "StCR": the application ID in the header of StoreSQLite's files.
        static let applicationID = 0x5374_4352

        /// Refuses a file that another program, or a newer version of this one, wrote.
        ///
        /// An empty file is accepted, as one that is still to be created.
        static func check(header: Data, newest: Int, _ name: String) throws(SQLiteDatabaseError) {
            if header.isEmpty { return }
            guard header.starts(with: "SQLite format 3\0".utf8) else {
                throw SQLiteDatabaseError(.foreign, "\(name) is not a database")
            }
            try check(applicationID: number(in: header, at: 68), version: number(in: header, at: 60), newest, name)
        }

        static func check(
            applicationID: Int,
            version: Int,
            _ newest: Int,
            _ name: String
        ) throws(SQLiteDatabaseError) {
            guard applicationID == Self.applicationID else {
                throw SQLiteDatabaseError(.foreign, "\(name) is another program's database")
            }
            guard version <= newest else {
                let sentence =
                    "\(name) was written by a newer version: it has format \(version), known here are 1 to \(newest)"
                throw SQLiteDatabaseError(.newer, sentence)
            }
        }

        private static func number(in header: Data, at offset: Int) -> Int {
            header.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
    }
#endif
