import Foundation
import StoreCore

extension PostgresLedger {
    /// The maximum number of records read at a time in a search for new ones: enough in most cases.
    static let lookahead = 256

    /// The number of records in the database now.
    ///
    /// The same request reads the new records.
    var head: Int {
        get throws {
            let (known, announced) = state.withLock { ($0.head, $0.announced) }
            if let announced, announced.thread == ObjectIdentifier(Thread.current) {
                state.withLock { $0.announced = nil }
                // The announced records have already been read.
                if announced.head <= known { return known }
            }
            return try take(rows(after: known, limit: Self.lookahead), after: known)
        }
    }

    /// Adds rows that follow the known records, and returns the number of records that are now known.
    func take(_ found: [RecordRow], after known: Int) throws -> Int {
        guard let last = found.last else { return known }
        let records = try self.records(found, after: known)
        var head = last.position
        var mark: RecordMark? = last.mark
        if found.count == Self.lookahead {
            let end = try end()
            if end.head > head { (head, mark) = end }
        }
        return state.withLock { state in
            // Another store in this process may have added these records, or later ones, first.
            guard head > state.head else { return state.head }
            state.recent = head == last.position ? records[...] : []
            (state.head, state.mark) = (head, mark)
            state.contended = Self.contendedAppends
            return head
        }
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let end = state.withLock { min($0.head, position + limit) }
        guard position < end else { return [] }
        if let records = recentRecords(after: position, through: end) { return records }
        let found = try rows(after: position, limit: end - position)
        let records = try records(found, after: position)
        guard records.count == end - position else { throw missing(position + records.count + 1) }
        return records
    }

    /// Returns records of the last read or append; nil if they do not cover the range.
    private func recentRecords(after position: Int, through end: Int) -> [LedgerRecord]? {
        state.withLock { state in
            let start = state.head - state.recent.count
            guard position >= start, end <= state.head, !state.recent.isEmpty else { return nil }
            let first = state.recent.startIndex - start
            return Array(state.recent[first + position..<first + end])
        }
    }

    private func rows(after position: Int, limit: Int) throws(PostgresDatabaseError) -> [RecordRow] {
        try core.read(verify: verify(_:)) { connection throws(PostgresDatabaseError) in
            let rows = try connection.run([rowsRequest(after: position, limit: limit)])[0]
            return RecordRow.all(in: rows)
        }
    }

    /// Returns the query for the rows of records after a position.
    func rowsRequest(after position: Int, limit: Int) -> Connection.Request {
        let sql =
            "SELECT \(RecordRow.columns) FROM \(core.tables.record) WHERE store = $1 AND position > $2 ORDER BY position LIMIT $3"
        return Connection.Request(sql, [.integer(store), .integer(position), .integer(limit)])
    }

    /// Decodes rows, which must have consecutive positions.
    private func records(_ rows: [RecordRow], after position: Int) throws(PostgresDatabaseError) -> [LedgerRecord] {
        var records: [LedgerRecord] = []
        records.reserveCapacity(rows.count)
        for (offset, row) in rows.enumerated() {
            guard row.position == position + offset + 1 else { throw missing(position + offset + 1) }
            let record = try row.record(of: name)
            if record == nil { report(row.position) }
            records.append(record ?? .unreadable)
        }
        return records
    }

    private func report(_ position: Int) {
        guard state.withLock({ $0.reported.insert(position).inserted }) else { return }
        core.note("record \(position) of the store \(name) cannot be read: its checksum does not match")
    }

    private func missing(_ position: Int) -> PostgresDatabaseError {
        PostgresDatabaseError(.damaged, "record \(position) of the store \(name) is missing: restore a backup")
    }

    /// Returns the number of records in the database, and the mark of the last one.
    private func end() throws(PostgresDatabaseError) -> (head: Int, mark: RecordMark?) {
        let sql =
            "SELECT position, writer, batch FROM \(core.tables.record) WHERE store = $1 ORDER BY position DESC LIMIT 1"
        return try core.read(verify: verify(_:)) { connection throws(PostgresDatabaseError) in
            let last = try connection.run(sql, .integer(store))
            guard last.count > 0 else { return (0, nil) }
            return (last.integer(0, 0), RecordMark(writer: last.integer(0, 1), batch: last.integer(0, 2)))
        }
    }

    /// Returns the mark of the record at a position; nil if there is no record.
    func mark(at position: Int) throws(PostgresDatabaseError) -> RecordMark? {
        try core.read(verify: verify(_:)) { connection throws(PostgresDatabaseError) in
            try mark(at: position, on: connection)
        }
    }

    private func mark(at position: Int, on connection: Connection) throws(PostgresDatabaseError) -> RecordMark? {
        let sql = "SELECT writer, batch FROM \(core.tables.record) WHERE store = $1 AND position = $2"
        let rows = try connection.run(sql, .integer(store), .integer(position))
        return rows.count == 0 ? nil : RecordMark(writer: rows.integer(0, 0), batch: rows.integer(0, 1))
    }

    /// Throws an error unless the last known record still exists unchanged; checks once for each connection.
    ///
    /// The record may be missing on a standby that lagged when it was promoted, or in a restored backup. The store's
    /// state in memory then matches no ledger, and every later operation is refused.
    func verify(_ connection: Connection) throws(PostgresDatabaseError) {
        let known = state.withLock { $0 }
        if let refusal = known.refusal { throw refusal }
        guard known.connection != connection.number else { return }
        if let mark = known.mark, try self.mark(at: known.head, on: connection) != mark {
            let refusal = PostgresDatabaseError(
                .recordsLost,
                "the database has lost record \(known.head) of the store \(name), which was there before: open the store again, and see which purchases are gone"
            )
            state.withLock { $0.refusal = refusal }
            core.note(refusal.description)
            throw refusal
        }
        state.withLock { $0.connection = connection.number }
    }
}
