import Foundation
import StoreCore

/// A store's ledger: one row for each record, with the store and the record's position as the key.
///
/// An append is a transaction, which is committed when the call returns. Because of the key, the database refuses a
/// second record at the same position: if another process has appended there, nothing is inserted.
final class PostgresLedger: SharedLedger {
    let lane: BackendLane
    let core: DatabaseCore
    let name: String
    let store: Int
    let state: Locked<State>
    let channel: Channel
    private let listeners = Locked<[WeakListener]>([])

    private struct WeakListener {
        weak var listener: (any LedgerListener)?
    }

    struct State {
        /// The number of records that this process knows.
        var head = 0
        /// The mark of the last known record; nil if there are no records.
        var mark: RecordMark?
        /// The last known records, cached for the next read; empty if they are not in memory.
        var recent: ArraySlice<LedgerRecord> = []
        /// The data read when the ledger was opened; nil once a store has taken it.
        var opening: Opening?
        /// The number of the connection on which the last known record was checked.
        var connection: Int
        /// The number of records that a notification announces, and the thread that handles the notification.
        var announced: (head: Int, thread: ObjectIdentifier)?
        /// The number of coming appends that take turns with the appends of other stores.
        var contended = 0
        /// The error with which every operation is refused; nil for none.
        var refusal: PostgresDatabaseError?
        /// The positions of unreadable records that have been logged.
        var reported: Set<Int> = []
    }

    init(_ core: DatabaseCore, _ name: String, lane: BackendLane) throws(PostgresDatabaseError) {
        self.core = core
        self.name = name
        self.lane = lane
        // Reads everything in a single request, so a store opens in one round trip.
        (store, state) = try core.read(name, in: core.tables.store, "store", by: core.statements.opening) {
            ($0[0].integer(0, 0), Locked(State(opening: $0, of: name, connection: $1)))
        }
        channel = core.tables.channel(.store, store)
    }

    var snapshotDistance: Int { core.options.snapshotDistance }

    func add(_ listener: any LedgerListener) {
        let isFirst = listeners.withLock { listeners in
            listeners.removeAll { $0.listener == nil }
            listeners.append(WeakListener(listener: listener))
            return listeners.count == 1
        }
        if isFirst { core.listener.add(self, to: channel) }
    }

    /// Does nothing, since records are durable once they are appended.
    func commit() {}

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        guard state.withLock({ $0.head == head }) else {
            endTurn()
            return false
        }
        let mark = RecordMark(writer: core.writer, batch: core.nextBatch())
        let announcement = Announcement(channel: channel, payload: String(head + records.count))
        let outcome = try core.write(
            DatabaseCore.Write(
                requests: [try request(records, behind: head, mark)],
                order: store,
                verify: verify(_:),
                announcement: announcement
            )
        )
        if outcome.results[0].changes == 0 {
            // The position is taken: by another store's record, or by this one if the reply to an attempt was lost.
            guard outcome.wasRepeated, try self.mark(at: head + 1) == mark else {
                core.statistics.withLock { $0.conflicts += 1 }
                state.withLock { $0.contended = Self.contendedAppends }
                return false
            }
        }
        state.withLock { state in
            if state.contended > 0 { state.contended -= 1 }
            // Another store in this process may have read these records, and later ones, by now.
            guard state.head < head + records.count else { return }
            state.recent = records[...]
            state.head = head + records.count
            state.mark = mark
        }
        core.listener.tell(announcement, from: self)
        return true
    }

    private func request(
        _ records: [LedgerRecord],
        behind head: Int,
        _ mark: RecordMark
    ) throws(PostgresDatabaseError) -> Connection.Request {
        var payloads: [StoredPayload] = []
        for (offset, record) in records.enumerated() {
            do { payloads.append(StoredPayload(try record.packed(), under: head + offset + 1)) } catch {
                throw PostgresDatabaseError(.other, "a record cannot be written down: \(error)")
            }
        }
        let parameters: [Parameter] = [.integer(store), .integer(mark.writer), .integer(mark.batch)]
        if records.count == 1 {
            return Connection.Request(
                core.statements.insertOne,
                parameters + [
                    .integer(head + 1), .integer(payloads[0].checksum), .boolean(records[0].isCountedOn),
                    .bytes(payloads[0].data),
                ]
            )
        }
        return Connection.Request(
            core.statements.insertMany,
            parameters + [
                .integer(head), .integers(payloads.map(\.checksum)), .booleans(records.map(\.isCountedOn)),
                .byteStrings(payloads.map(\.data)),
            ]
        )
    }
}

extension PostgresLedger: NotificationListener.Recipient {
    func notified(payload: String) {
        // The payload is the number of records that the sender knows.
        let head = Int(payload)
        if let head, state.withLock({ $0.head >= head }), listeners.withLock({ $0.count == 1 }) { return }
        let thread = ObjectIdentifier(Thread.current)
        state.withLock { $0.announced = head.map { ($0, thread) } }
        defer { state.withLock { $0.announced = nil } }
        for listener in listeners.withLock({ $0.compactMap(\.listener) }) { listener.ledgerMayHaveGrown() }
    }
}

extension PostgresLedger {
    /// A store's last snapshot, read when the ledger was opened.
    struct Opening {
        let snapshot: SnapshotRow?
    }
}

extension PostgresLedger.State {
    /// Creates the state from the results of the queries in ``LedgerStatements/opening``.
    init(opening found: [ResultRows], of name: String, connection: Int) {
        self.connection = connection
        if !found[0].isNull(0, 1) {
            head = found[0].integer(0, 1)
            mark = RecordMark(writer: found[0].integer(0, 2), batch: found[0].integer(0, 3))
        }
        guard found.count == 3 else { return }
        opening = PostgresLedger.Opening(snapshot: SnapshotRow(found[1]))
        if mark == nil { return }
        // Includes records appended since the first query. A later read reports unreadable ones.
        let rows = RecordRow.all(in: found[2])
        guard let first = rows.first, let last = rows.last, last.position >= head,
            last.position - first.position == rows.count - 1
        else { return }
        let records = rows.compactMap { try? $0.record(of: name) }
        guard records.count == rows.count else { return }
        (head, mark, recent) = (last.position, last.mark, records[...])
    }
}

// Snapshots are an optimization: an unreadable one costs only time.
extension PostgresLedger {
    func snapshot() throws -> LedgerSnapshot? {
        let opening = state.withLock { $0.opening.take() }
        guard let row = try opening.map(\.snapshot) ?? lastSnapshot() else { return nil }
        guard let snapshot = row.snapshot else {
            core.note("the snapshot of the store \(name) cannot be read: its checksum does not match")
            return nil
        }
        // A snapshot with more records than the ledger belongs to another ledger.
        guard try row.position <= state.withLock({ $0.head }) || row.position <= head else { return nil }
        return snapshot
    }

    private func lastSnapshot() throws(PostgresDatabaseError) -> SnapshotRow? {
        let sql = SnapshotRow.last(in: core.tables, of: "$1")
        return try core.read(verify: verify(_:)) { connection throws(PostgresDatabaseError) in
            SnapshotRow(try connection.run(sql, .integer(store)))
        }
    }

    func keep(_ snapshot: LedgerSnapshot) throws {
        let payload = StoredPayload(snapshot.state, under: snapshot.position)
        let place: [Parameter] = [.integer(store), .integer(snapshot.position)]
        var requests = [
            // Another process may have stored a newer snapshot, which then stays.
            Connection.Request(
                """
                INSERT INTO \(core.tables.snapshot) (store, position, checksum, payload)
                SELECT $1::bigint, $2::bigint, $3::bigint, $4::bytea
                WHERE NOT EXISTS (SELECT FROM \(core.tables.snapshot) WHERE store = $1 AND position >= $2)
                ON CONFLICT DO NOTHING
                """,
                place + [.integer(payload.checksum), .bytes(payload.data)]
            )
        ]
        if core.mayDelete {
            let sql = "DELETE FROM \(core.tables.snapshot) WHERE store = $1 AND position < $2"
            requests.append(Connection.Request(sql, place))
        }
        _ = try core.write(DatabaseCore.Write(requests: requests, order: store, verify: verify(_:)))
        core.statistics.withLock { $0.snapshots += 1 }
    }
}

// Turns only save work. Even without them, the table's key would refuse a second record at one position.
extension PostgresLedger: TurnTakingLedger {
    /// The number of appends that take turns after another store has appended.
    static let contendedAppends = 8

    func beginTurn() -> Bool {
        let (known, isContended) = state.withLock { ($0.head, $0.contended > 0) }
        guard isContended else { return false }
        let lock = """
            SELECT set_config('idle_in_transaction_session_timeout', $2::text, true),
                set_config('lock_timeout', $3::text, true), pg_advisory_xact_lock(hashtextextended($1::text, 0))
            """
        let requests = [
            Connection.Request(
                lock,
                [
                    .text("StoreCore \(channel.name)"), .text(Self.milliseconds(core.options.turnTime)),
                    // Waits less than the time limit for a reply, so the connection does not count as lost.
                    .text(Self.milliseconds(min(core.options.turnPatience, core.options.responseTime / 2))),
                ]
            ),
            // Lets the later statements wait for locks as long as they need.
            Connection.Request("SET LOCAL lock_timeout TO DEFAULT"),
            rowsRequest(after: known, limit: Self.lookahead),
        ]
        guard let results = core.beginTransaction(verify: verify(_:), requests) else { return false }
        let found = RecordRow.all(in: results[2])
        guard found.count < Self.lookahead, let head = try? take(found, after: known) else {
            endTurn()
            return false
        }
        return head > known
    }

    func endTurn() { core.endTransaction() }

    /// Returns a time in the form of the server's settings, at least 1 ms because 0 would mean no limit.
    private static func milliseconds(_ seconds: TimeInterval) -> String {
        "\(Int(max(1, min(seconds, 86_400) * 1_000)))ms"
    }
}
