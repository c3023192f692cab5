import Foundation
import StoreCore

#if canImport(CSQLite)
    /// The connection that a database's ledger and journal share, and the turns of its users.
    // unchecked: `connection`, `refusal` and `notes` are touched only during a turn.
    final class DatabaseCore: @unchecked Sendable {
        private typealias Write = (Connection) throws(SQLiteDatabaseError) -> Void

        let name: String
        private let log: StoreLog
        private let turns = TurnQueue<Write, Result<Void, SQLiteDatabaseError>>()
        /// The connection; nil when closed.
        private var connection: Connection?
        /// The reason that the file was abandoned, if it was.
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
            // Until it is known to be StoreSQLite's.
            try connection.keepLog(true)
            try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
            if connection.isReadOnly { throw SQLiteDatabaseError(.readOnly, "\(name) may not be written") }
            // One user at a time: the lock that is taken first is kept, and nothing is shared with other processes.
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
        /// A file that a newer version wrote ends everything, and so does one that was lost: see `giveUp(_:after:)`.
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

        /// Refuses everything from now on if an error says that the file cannot be used any more, and leaves it as it
        /// is.
        ///
        /// It must be called during the caller's turn.
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

        /// Writes everything or nothing.
        ///
        /// Returns once the writes are durable. Concurrent writes of several threads are committed in one transaction:
        /// the first thread does it for all.
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

        /// Adds a line for the log; it must be called during the caller's turn, and is logged after it.
        func note(_ line: String) { notes.append(line) }

        /// Waits for the work in progress, and closes: when it returns the file is free.
        func close() {
            var lines: [String] = []
            turns.exclusively {
                // Not when the last reference goes: a thread that has just used it may still have one.
                connection.take()?.close().forEach(note)
                lines = takeNotes()
            }
            for line in lines { log(line) }
        }

        private func takeNotes() -> [String] {
            defer { notes = [] }
            return notes
        }

        /// The connection, or the reason that there is none.
        ///
        /// It must be read during a turn.
        private var available: Result<Connection, SQLiteDatabaseError> {
            guard let connection else {
                return .failure(SQLiteDatabaseError(.closed, "\(name) has been closed"))
            }
            return refusal.map { .failure($0) } ?? .success(connection)
        }
    }
#else

    /// The placeholder for a database where there is no SQLite: it is never created.
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
    // Unreadable records are set apart and reported, and the rest is served.
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

        /// Reports records, and moves what is left of them beside the others; `remove` takes each out of its own place.
        ///
        /// If that cannot be written they stay where they are, to be found again.
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

        /// Stores what is left of a record beside the others.
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

        /// Renames a table that SQLite cannot read whole, and puts an empty one in its place.
        ///
        /// - Returns: the new name. The old content stays for inspection.
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

/// The settings that decide what a commit waits for.
struct CommitPolicy {
    let pragmas: String
    /// The number of frames in the log from which on a commit checkpoints it into the file.
    let checkpointInterval: Int

    /// Waits for the disk.
    ///
    /// A growing log makes each wait longer than one that is overwritten; so it is kept short.
    static let full = CommitPolicy(pragmas: "PRAGMA synchronous = FULL;", checkpointInterval: 128)
    /// Waits for the system only.
    static let normal = CommitPolicy(pragmas: "PRAGMA synchronous = NORMAL;", checkpointInterval: 1000)
}

/// A record that could not be read.
///
/// It is kept beside the others, as it was found, for inspection: in the table `damaged`, or, where SQLite cannot read
/// the page that it was on, in the whole table as it was, which then has a name such as `record_damaged_1`.
public struct DamagedRecord: Hashable, Sendable {
    /// The part of the file that held a record.
    public enum Place: String, Hashable, Sendable {
        /// The store's ledger.
        case ledger
        /// The queue's journal.
        case journal
        /// The shortcut past the ledger's older records, which costs time and nothing else.
        case snapshot
    }

    /// The part of the file that held it.
    public let place: Place
    /// Its number there.
    public let number: Int
    /// The damage, in one line.
    public let reason: String
}

#if canImport(CSQLite)
    /// A check of a file's header before SQLite opens it: SQLite would clean up in a database that is not
    /// StoreSQLite's.
    enum DatabaseFile {
        /// "StCR": the application ID in the header of StoreSQLite's files.
        static let applicationID = 0x5374_4352

        /// Refuses a file that another program wrote, or a newer version of this one.
        ///
        /// A file without bytes is still to be created.
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
