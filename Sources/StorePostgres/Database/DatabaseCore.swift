import Foundation
import StoreCore

/// The connection that a database's ledgers and journals share, in turns.
///
/// If a lost connection leaves the result of a write in doubt, the write is repeated on the next connection. The
/// repetition waits for the first attempt if necessary, and finds its result.
// unchecked: `connection` and the state that belongs to it are touched only during a turn.
final class DatabaseCore: @unchecked Sendable {
    /// A write of one ledger or journal, which may be committed together with others.
    struct Write {
        /// The statements, each of which may be run again without harm.
        let requests: [Connection.Request]
        /// The position of the write in a transaction.
        ///
        /// It is the same in every process, so all processes take locks in one order.
        let order: Int
        /// Throws an error unless a new connection leads to the database that the writer knows.
        let verify: (Connection) throws(PostgresDatabaseError) -> Void
        /// The notification sent to other processes after the commit.
        var announcement: Announcement?
    }

    /// The outcome of a write.
    struct Outcome {
        let results: [ResultRows]
        /// Whether an earlier attempt of the same write may have been committed.
        let wasRepeated: Bool
    }

    /// A transaction begun by ``beginTransaction(verify:_:)``, and the thread that may use it.
    private struct OpenTransaction {
        let thread: ObjectIdentifier
        /// The number of the transaction's connection; nil once the transaction is committed.
        var connection: Int?
    }

    private typealias Answer = Result<Outcome, PostgresDatabaseError>

    let tables: Tables
    let statements: LedgerStatements
    let options: PostgresDatabase.Options
    /// The identifier that this object writes into its records, to recognize them.
    let writer = Int.random(in: .min ... .max)
    let listener: NotificationListener
    let statistics = Locked(PostgresDatabase.Statistics())
    private let settings: ConnectionSettings
    private let log: StoreLog
    private let turns = TurnQueue<Write, Answer>()
    private let batches = Locked(0)
    private let closing = Closing()
    private let transaction = Locked<OpenTransaction?>(nil)

    private var connection: Connection?
    private var policy = ReconnectPolicy()
    private var nextAttempt: Deadline?
    private var lastError: PostgresDatabaseError?
    private let rights = Locked(false)

    init(_ settings: String, _ options: PostgresDatabase.Options, log: StoreLog) throws(PostgresDatabaseError) {
        self.settings = try ConnectionSettings(settings)
        self.options = options
        self.log = log
        tables = Tables(schema: options.schema)
        statements = LedgerStatements(tables)
        listener = NotificationListener(self.settings, options, statistics)
        try turns.exclusively { () throws(PostgresDatabaseError) in
            try open(creates: true)
        }
    }

    /// Returns a new number for one attempt to append a batch of records.
    func nextBatch() -> Int {
        batches.withLock { last in
            last += 1
            return last
        }
    }

    /// Whether the role may delete obsolete rows.
    var mayDelete: Bool { rights.withLock { $0 } }

    func note(_ line: String) { log(line) }

    /// Runs `body`, and repeats it on a new connection if the connection is lost, until the time limit.
    func read<R>(
        verify: (Connection) throws(PostgresDatabaseError) -> Void = { _ in },
        _ body: (Connection) throws(PostgresDatabaseError) -> R
    ) throws(PostgresDatabaseError) -> R {
        let deadline = Deadline(after: options.patience)
        if hasTransaction {
            if let connection, let result = try? body(connection) { return result }
            // Repeats the failed read outside the transaction, in which every further statement would fail.
            endTransaction()
        }
        return try turns.exclusively { () throws(PostgresDatabaseError) in
            while true {
                let connection = try connect(until: deadline)
                do throws(PostgresDatabaseError) {
                    try verify(connection)
                    return try body(connection)
                } catch {
                    guard isLost(connection, error), deadline.seconds > 0 else { throw error }
                }
            }
        }
    }

    /// Commits all statements of a write, or none; concurrent writes of other threads may share the transaction.
    ///
    /// Returns once the write is committed.
    func write(_ write: Write) throws(PostgresDatabaseError) -> Outcome {
        if hasTransaction {
            defer { endTransaction() }
            return try serve([write])[0].get()
        }
        return try turns.serve(write) { group in serve(group) }.get()
    }

    /// Closes the connections.
    ///
    /// Calls that wait for the database to become available fail at once.
    func close() {
        closing.close()
        turns.exclusively { connection = nil }
        listener.close()
    }
}

// MARK: - Writing

extension DatabaseCore {
    /// Commits a group of writes in one transaction; if that fails, commits each write in its own.
    private func serve(_ group: [Write]) -> [Answer] {
        let deadline = Deadline(after: options.patience)
        var answers = [Answer?](repeating: nil, count: group.count)
        var wasRepeated = false
        while true {
            // The fixed order ensures that no two processes wait for each other's locks.
            let open = group.indices.filter { answers[$0] == nil }.sorted { group[$0].order < group[$1].order }
            if open.isEmpty { break }
            do throws(PostgresDatabaseError) {
                let connection = try connect(until: deadline)
                do throws(PostgresDatabaseError) {
                    let sound = try verified(open, of: group, on: connection, &answers)
                    try commit(sound, of: group, on: connection, wasRepeated, &answers)
                } catch {
                    guard isLost(connection, error) else { throw error }
                    wasRepeated = true
                    guard deadline.seconds > 0 else { throw error }
                }
            } catch {
                for index in open where answers[index] == nil { answers[index] = .failure(error) }
            }
        }
        return answers.map { answer in
            let answer = answer ?? .failure(PostgresDatabaseError(.other, "a write was forgotten"))
            // An earlier attempt whose reply was lost may have been committed, whatever the result of the repetition.
            return wasRepeated ? answer.mapError(\.inDoubt) : answer
        }
    }

    /// Returns the writes whose check succeeds on the connection.
    ///
    /// For each other write, stores its error as the answer.
    private func verified(
        _ open: [Int],
        of group: [Write],
        on connection: Connection,
        _ answers: inout [Answer?]
    ) throws(PostgresDatabaseError) -> [Int] {
        var sound: [Int] = []
        for index in open {
            do throws(PostgresDatabaseError) {
                try group[index].verify(connection)
                sound.append(index)
            } catch {
                if Self.endsConnection(error) { throw error }
                answers[index] = .failure(error)
            }
        }
        return sound
    }

    private func commit(
        _ indices: [Int],
        of group: [Write],
        on connection: Connection,
        _ wasRepeated: Bool,
        _ answers: inout [Answer?]
    ) throws(PostgresDatabaseError) {
        if indices.isEmpty { return }
        do throws(PostgresDatabaseError) {
            let isOpen = transaction.withLock { $0?.connection == connection.number }
            var results = try connection.run(
                indices.flatMap { group[$0].requests } + (isOpen ? [Connection.Request("COMMIT")] : []),
                followedBy: indices.compactMap { group[$0].announcement?.request(in: tables) }
            )[...]
            if isOpen { transaction.withLock { $0?.connection = nil } }
            try confirm(connection)
            statistics.withLock {
                $0.commits += 1
                $0.writes += indices.count
            }
            for index in indices {
                let count = group[index].requests.count
                answers[index] = .success(Outcome(results: Array(results.prefix(count)), wasRepeated: wasRepeated))
                results = results.dropFirst(count)
            }
        } catch {
            if Self.endsConnection(error) { throw error }
            guard indices.count > 1 else { return answers[indices[0]] = .failure(error) }
            // Repeats each write in its own transaction, so a failing write does not affect the others.
            for index in indices { try commit([index], of: group, on: connection, wasRepeated, &answers) }
        }
    }

    /// Ensures that a commit has reached a standby, if the server has warned that it may not have.
    ///
    /// A commit that no standby has confirmed is still committed on its server. A later commit that reaches a standby
    /// includes it.
    private func confirm(_ connection: Connection) throws(PostgresDatabaseError) {
        guard connection.takeWarning() else { return }
        do throws(PostgresDatabaseError) { try Self.reachStandby(on: connection) } catch {
            // Always reported as unreachable: the caller then tries again, and finds the committed write.
            throw PostgresDatabaseError(.unreachable, error.description)
        }
    }

    /// Commits a message that nobody reads, which ensures that all visible records have reached the standbys.
    ///
    /// An empty transaction writes nothing to the server's log, so its commit would not wait for a standby.
    static func reachStandby(on connection: Connection) throws(PostgresDatabaseError) {
        _ = connection.takeWarning()
        _ = try connection.run("SELECT pg_logical_emit_message(true, 'StoreCore', '')")
        guard !connection.takeWarning() else {
            throw PostgresDatabaseError(.unreachable, "a commit has reached no standby")
        }
    }
}

// MARK: - Transactions of a thread

extension DatabaseCore {
    /// Begins a transaction for the calling thread.
    ///
    /// The thread has exclusive use of the connection until it writes or ends the transaction.
    ///
    /// - Parameters:
    ///   - verify: throws an error unless a new connection leads to the database that the caller knows.
    ///   - requests: the first statements of the transaction.
    /// - Returns: the results of the statements; nil if one fails, or if the database is unavailable.
    func beginTransaction(
        verify: (Connection) throws(PostgresDatabaseError) -> Void,
        _ requests: [Connection.Request]
    ) -> [ResultRows]? {
        endTransaction()
        turns.begin()
        guard let connection else {
            turns.end()
            return nil
        }
        do throws(PostgresDatabaseError) {
            try verify(connection)
            let results = try connection.run([Connection.Request("BEGIN")] + requests)
            let thread = ObjectIdentifier(Thread.current)
            transaction.withLock { $0 = OpenTransaction(thread: thread, connection: connection.number) }
            return Array(results.dropFirst())
        } catch {
            if !isLost(connection, error) { try? connection.post(Connection.Request("ROLLBACK")) }
            turns.end()
            return nil
        }
    }

    /// Ends the calling thread's transaction, if any, and rolls it back unless it was committed.
    func endTransaction() {
        guard hasTransaction else { return }
        let open = transaction.withLock { $0.take() }
        if let connection, connection.number == open?.connection {
            try? connection.post(Connection.Request("ROLLBACK"))
        }
        turns.end()
    }

    private var hasTransaction: Bool {
        guard let open = transaction.withLock({ $0 }) else { return false }
        return open.thread == ObjectIdentifier(Thread.current)
    }
}

// MARK: - Connecting

extension DatabaseCore {
    /// Returns whether an error means that the connection is lost; a lost connection is dropped.
    private func isLost(_ connection: Connection, _ error: PostgresDatabaseError) -> Bool {
        let isLost = connection.isBroken || Self.endsConnection(error)
        if isLost { lose(error) }
        return isLost
    }

    /// Returns whether a failed operation may succeed on another connection.
    static func endsConnection(_ error: PostgresDatabaseError) -> Bool {
        // The old server may have become read only in a failover.
        error.code == .unreachable || error.code == .readOnly
    }

    private func lose(_ error: PostgresDatabaseError) {
        guard connection != nil else { return }
        connection = nil
        lastError = error
        statistics.withLock { $0.isConnected = false }
        note("the database is away: \(error)")
    }

    /// Returns the existing connection, or connects anew.
    ///
    /// - Throws: the error of the last attempt, if none succeeds before the deadline.
    private func connect(until deadline: Deadline) throws(PostgresDatabaseError) -> Connection {
        while true {
            if closing.isClosed { throw PostgresDatabaseError(.closed, "the database has been closed") }
            if let connection { return connection }
            let pause = nextAttempt?.seconds ?? 0
            if pause > 0 {
                guard pause < deadline.seconds else { throw lastError ?? Self.away }
                closing.wait(pause)
                continue
            }
            do throws(PostgresDatabaseError) { try open(creates: false) } catch {
                lastError = error
                nextAttempt = Deadline(after: policy.pauseAfterFailure())
                guard Self.endsConnection(error) else { throw error }
            }
        }
    }

    private static let away = PostgresDatabaseError(.unreachable, "the database is away")

    /// Connects, migrates the tables, and prepares the session.
    private func open(creates: Bool) throws(PostgresDatabaseError) {
        let number = statistics.withLock { $0.connections } + 1
        let new = try Connection(settings, number: number, patience: options.responseTime)
        try new.execute(Self.session)
        let isReadOnly = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean"
        if try new.run(isReadOnly).integer(0, 0) == 1 {
            throw PostgresDatabaseError(
                .readOnly,
                "the server is a standby or set to read only: name the others too, with target_session_attrs=read-write"
            )
        }
        try Migration.run(tables, creates: creates, on: new)
        let obsolete = [tables.snapshot, tables.command, tables.forgotten, tables.opening]
        let mayDelete = "SELECT bool_and(has_table_privilege(name, 'DELETE')) FROM unnest($1::text[]) AS name"
        // Runs after the migration, which releases all advisory locks of the session.
        let answers = try new.run([
            Connection.Request(mayDelete, [.texts(obsolete)]), Announcement.presenceLock(in: tables),
        ])
        rights.withLock { $0 = answers[0].integer(0, 0) == 1 }
        // After a crash of the server, visible records may not have reached a standby.
        try Self.reachStandby(on: new)
        connection = new
        listener.ignore(new.backend)
        nextAttempt = nil
        policy.succeeded()
        let isBack = statistics.withLock { statistics in
            statistics.isConnected = true
            statistics.connections = number
            return number > 1
        }
        guard isBack else { return }
        note("the database is back")
        // Notifications of other processes may have been lost while there was no connection.
        listener.tellAllSoon()
    }
}

extension DatabaseCore {
    /// The session settings on which correctness and speed depend.
    ///
    /// They override the settings of the role and the server.
    static let session = [
        "SET client_min_messages = warning",
        "SET default_transaction_isolation = 'read committed'",
        "SET idle_in_transaction_session_timeout = '60s'",
        "SET standard_conforming_strings = on",
        // An index serves the rows and the order of every query, so one plan suits all values, whatever the server's
        // statistics.
        "SET plan_cache_mode = force_generic_plan",
        "SET enable_indexscan = on",
        "SET enable_indexonlyscan = on",
        "SET enable_seqscan = off",
        "SET enable_bitmapscan = off",
        "SET jit = off",
        // Lets the server detect within half a minute that this machine is gone, and release its locks.
        "SET tcp_keepalives_idle = 10",
        "SET tcp_keepalives_interval = 5",
        "SET tcp_keepalives_count = 3",
    ]
}

extension DatabaseCore {
    /// Returns the number of the store or journal with a name, and adds it if it does not exist.
    func number(of name: String, in table: String, _ kind: String) throws(PostgresDatabaseError) -> Int {
        let query = "SELECT id FROM \(table) WHERE name = $1::text"
        return try read(name, in: table, kind, by: [query]) { found, _ in found[0].integer(0, 0) }
    }

    /// Runs queries about the store or journal with a name, and adds it if it does not exist.
    ///
    /// The first query returns a row if the name exists. The other queries are optional: if one fails, only the first
    /// query is run again. `body` also receives the number of the connection.
    func read<R>(
        _ name: String,
        in table: String,
        _ kind: String,
        by queries: [String],
        _ body: ([ResultRows], Int) -> R
    ) throws(PostgresDatabaseError) -> R {
        guard 1...200 ~= name.utf8.count, !name.utf8.contains(0) else {
            throw PostgresDatabaseError(.settings, "the name of a \(kind) has from 1 to 200 bytes, and none is 0")
        }
        return try read { connection throws(PostgresDatabaseError) in
            for _ in 1...2 {
                let requests = queries.map { Connection.Request($0, [.text(name)]) }
                let found: [ResultRows]
                do throws(PostgresDatabaseError) { found = try connection.run(requests) } catch {
                    if queries.count == 1 || connection.isBroken || Self.endsConnection(error) { throw error }
                    // The other queries only save time. Their data is read again later, and errors are reported then.
                    found = try connection.run([requests[0]])
                }
                if found[0].count > 0 { return body(found, connection.number) }
                let sql = "INSERT INTO \(table) (name) VALUES ($1::text) ON CONFLICT DO NOTHING"
                _ = try connection.run(sql, .text(name))
            }
            throw PostgresDatabaseError(.other, "the \(kind) \(name) was removed while it was added")
        }
    }

    func stores() throws(PostgresDatabaseError) -> [String] {
        try read { connection throws(PostgresDatabaseError) in
            let rows = try connection.run("SELECT name FROM \(tables.store) ORDER BY name")
            return (0..<rows.count).map { rows.text($0, 0) }
        }
    }

    func removeStore(_ name: String) throws(PostgresDatabaseError) {
        try read { connection throws(PostgresDatabaseError) in
            let owned = "store IN (SELECT id FROM \(tables.store) WHERE name = $1::text)"
            let statements = [
                "DELETE FROM \(tables.record) WHERE \(owned)", "DELETE FROM \(tables.snapshot) WHERE \(owned)",
                "DELETE FROM \(tables.store) WHERE name = $1::text",
            ]
            _ = try connection.run(statements.map { Connection.Request($0, [.text(name)]) })
        }
    }

    func removeJournal(_ name: String) throws(PostgresDatabaseError) {
        try read { connection throws(PostgresDatabaseError) in
            let owned = "journal IN (SELECT id FROM \(tables.journal) WHERE name = $1::text)"
            let statements =
                [tables.command, tables.forgotten, tables.opening].map { "DELETE FROM \($0) WHERE \(owned)" } + [
                    "DELETE FROM \(tables.journal) WHERE name = $1::text"
                ]
            _ = try connection.run(statements.map { Connection.Request($0, [.text(name)]) })
        }
    }

    func check(_ name: String) throws(PostgresDatabaseError) -> [String] {
        let store = try read { connection throws(PostgresDatabaseError) in
            let found = try connection.run("SELECT id FROM \(tables.store) WHERE name = $1::text", .text(name))
            guard found.count > 0 else { throw PostgresDatabaseError(.other, "there is no store \(name)") }
            return found.integer(0, 0)
        }
        var lines: [String] = []
        var position = 0
        while true {
            let sql =
                "SELECT \(RecordRow.columns) FROM \(tables.record) WHERE store = $1 AND position > $2 ORDER BY position LIMIT 1000"
            let rows = try read { [position] connection throws(PostgresDatabaseError) in
                try connection.run(sql, .integer(store), .integer(position))
            }
            if rows.count == 0 { return lines }
            for row in RecordRow.all(in: rows) {
                if row.position > position + 1 {
                    lines.append("records \(position + 1) to \(row.position - 1) are missing")
                }
                do throws(PostgresDatabaseError) {
                    if try row.record(of: name) == nil { lines.append("record \(row.position) cannot be read") }
                } catch {
                    lines.append(error.description)
                }
                position = row.position
            }
        }
    }
}

/// The closed state of a database, with waits that end early when it is closed.
final class Closing: @unchecked Sendable {  // unchecked: touched only under the condition's lock
    private let condition = NSCondition()
    private var isSet = false

    var isClosed: Bool { condition.withLock { isSet } }

    func close() {
        condition.withLock {
            isSet = true
            condition.broadcast()
        }
    }

    func wait(_ seconds: TimeInterval) {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.withLock { while !isSet, condition.wait(until: end) {} }
    }
}
