import Foundation
import StoreCore

/// The connection that a database's ledger and journal share, in turns.
// unchecked: `connection`, `refusal` and `notes` are touched only during a turn.
final class DatabaseCore: @unchecked Sendable {
    private typealias Write = (Connection) throws(SQLiteDatabaseError) -> Void

    let name: String
    private let log: StoreLog
    private let turns = TurnQueue<Write, Result<Void, SQLiteDatabaseError>>()
    /// The connection; nil once it is closed.
    private var connection: Connection?
    /// The error after which the file is no longer used; nil while it is usable.
    private var refusal: SQLiteDatabaseError?
    /// The current turn's lines for the log.
    ///
    /// The log is called after the turn, without a lock.
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
        let connection = try Connection(file, fileSystem: fileSystem, patience: patience)
        // Keeps the log of another program's file, which must not be merged. For StoreSQLite's files, merging is
        // enabled again below.
        try connection.keepLog(true)
        try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
        if connection.isReadOnly { throw SQLiteDatabaseError(.readOnly, "\(name) may not be written") }
        // In exclusive mode, SQLite keeps its lock on the file, and shares no memory with other processes.
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

    /// Runs work that reads the file or needs exclusive use of it.
    ///
    /// If `body` finds that the file is damaged, lost, or written by a newer version, every later use fails; see
    /// `giveUp(_:after:)`.
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

    /// Refuses every later use, and leaves the file unchanged, if an error shows that the file is unusable.
    ///
    /// Must be called during a turn, since turns protect the state that it changes.
    ///
    /// - Returns: whether the file is unusable.
    @discardableResult
    private func giveUp(_ connection: Connection, after error: SQLiteDatabaseError) -> Bool {
        switch error.code {
        // Keeps the log: a checkpoint could overwrite sound pages of a damaged file.
        case .newer, .damaged: try? connection.keepLog(true)
        case .fileLost: connection.abandon(because: error).forEach(note)
        default: return false
        }
        refusal = error
        return true
    }

    /// Commits all writes of a closure, or none, and returns once they are durable.
    ///
    /// Concurrent calls of several threads are committed in one transaction, which the first thread runs for all.
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

    /// Runs a group of writes, and returns the result of each, in order.
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
        // Repeats each write in its own transaction, so a failing write does not affect the others.
        return group.indices.map { result(group[$0...$0]) }
    }

    /// Adds a line for the log; must be called during a turn, after which the line is logged.
    func note(_ line: String) { notes.append(line) }

    /// Closes the file after the work in progress.
    ///
    /// Other processes can then open the file.
    func close() {
        var lines: [String] = []
        turns.exclusively {
            // Closes the connection explicitly, since a thread that has just used it may retain it for a while.
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
    /// Must be read during a turn, which protects the connection.
    private var available: Result<Connection, SQLiteDatabaseError> {
        guard let connection else { return .failure(SQLiteDatabaseError(.closed, "\(name) has been closed")) }
        return refusal.map { .failure($0) } ?? .success(connection)
    }
}

extension DatabaseCore {
    func check() throws(SQLiteDatabaseError) -> [String] {
        try use { connection throws(SQLiteDatabaseError) in
            let rows = try connection.statement("PRAGMA integrity_check")
            defer { rows.reset() }
            var lines: [String] = []
            while try rows.step() { lines.append(rows.text(0) ?? "") }
            return lines == ["ok"] ? try DatabaseFile.unreadable(on: connection) : lines
        }
    }
}

extension DatabaseFile {
    /// Returns a line for each record and command that cannot be read, and for the first record of each gap.
    static func unreadable(on connection: Connection) throws(SQLiteDatabaseError) -> [String] {
        var lines: [String] = []
        let records = try connection.statement("SELECT position, checksum, payload FROM record ORDER BY position")
        defer { records.reset() }
        var next = 1
        while try records.step() {
            let row = Row(records)
            if row.position > next { lines.append("record \(next) of its ledger is missing") }
            // Adds with overflow, since damage may have changed a position to `Int.max`.
            next = row.position &+ 1
            if row.isSetApart || row.payload.map({ StoredPayload($0, under: row.position).checksum }) == row.checksum {
                continue
            }
            lines.append("record \(row.position) of its ledger cannot be read, its checksum does not match")
        }
        for row in try CommandRow.all(on: connection)
        where StoredPayload(row.payload, under: row.number).checksum != row.checksum {
            lines.append("command \(row.sequence) of its journal cannot be read, its checksum does not match")
        }
        return lines
    }
}

/// The settings of SQLite that determine when a commit is durable.
struct CommitPolicy {
    let pragmas: String
    /// The number of frames in the log that makes a commit checkpoint the log into the file.
    let checkpointInterval: Int

    /// A commit waits until its data is on the disk.
    ///
    /// The log is kept short, because a growing file takes longer to synchronize than one that is overwritten.
    static let full = CommitPolicy(pragmas: "PRAGMA synchronous = FULL;", checkpointInterval: 128)
    /// A commit waits for the operating system only.
    static let normal = CommitPolicy(pragmas: "PRAGMA synchronous = NORMAL;", checkpointInterval: 1000)
}

/// The check of a file's header, before SQLite opens the file and modifies it.
enum DatabaseFile {
    /// The application ID in the header of StoreSQLite's files: "StCR".
    static let applicationID = 0x5374_4352

    /// Throws an error for a file that another program, or a newer version of StoreSQLite, has written.
    ///
    /// An empty file is accepted as a new one.
    static func check(header: Data, newest: Int, _ name: String) throws(SQLiteDatabaseError) {
        if header.isEmpty { return }
        guard header.starts(with: "SQLite format 3\0".utf8) else {
            throw SQLiteDatabaseError(.foreign, "\(name) is not a database")
        }
        try check(applicationID: number(in: header, at: 68), version: number(in: header, at: 60), newest, name)
    }

    static func check(applicationID: Int, version: Int, _ newest: Int, _ name: String) throws(SQLiteDatabaseError) {
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
