import Foundation
import StoreCore

/// A store's ledger in a database.
///
/// While the file is open, no other process writes it, so the ledger knows the number of records without reading.
// unchecked: mutable state is accessed only under the lock of `condition`.
final class SQLiteLedger: DurableLedger, @unchecked Sendable {
    let lane: BackendLane
    let core: DatabaseCore
    private let condition = NSCondition()
    private var committed: Int
    /// The records that were appended and are not committed yet.
    private var staged: [(position: Int, payload: StoredPayload)] = []
    private var stagedRecords: [LedgerRecord] = []
    /// The records of the last commit if there were more than ``atHand``, cached for the store's next read; otherwise
    /// empty.
    private var recent: ArraySlice<LedgerRecord> = []

    /// The maximum number of records in a commit that a store does not read back, as it still has the records it
    /// appended.
    private static let atHand = 64

    init(_ core: DatabaseCore, lane: BackendLane) throws(SQLiteDatabaseError) {
        self.core = core
        self.lane = lane
        committed = try core.use { connection throws(SQLiteDatabaseError) in
            let end = try connection.number("SELECT max(position) FROM record") ?? 0
            // The records that a sound snapshot covers have existed, so their numbers must not be assigned again.
            if let snapshot = try Self.row(core, connection)?.snapshot, snapshot.position > end {
                throw core.missing(end + 1)
            }
            return end
        }
    }

    var head: Int { condition.withLock { committed } }

    /// Returns records of the last commit; nil if it does not cover the range.
    func recentRecords(after position: Int, through end: Int) -> [LedgerRecord]? {
        condition.withLock {
            let start = committed - recent.count
            guard position >= start, end <= committed, !recent.isEmpty else { return nil }
            return Array(recent[position - start..<end - start])
        }
    }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        let entries = try records.enumerated().map { offset, record in
            let position = head + offset + 1
            return (position: position, payload: try StoredPayload(under: position) { try record.packed() })
        }
        return condition.withLock {
            // Only the thread that staged records may add to them. All other threads wait until the records are
            // committed or dropped.
            while !staged.isEmpty, head != committed + staged.count { condition.wait() }
            guard head == committed + staged.count else { return false }
            staged += entries
            stagedRecords += records
            return true
        }
    }

    func commit() throws {
        let entries = condition.withLock { staged }
        if entries.isEmpty { return }
        var isWritten = false
        defer {
            condition.withLock {
                if isWritten {
                    committed += entries.count
                    recent = stagedRecords.count > Self.atHand ? stagedRecords[...] : []
                }
                (staged, stagedRecords) = ([], [])
                condition.broadcast()
            }
        }
        try core.write { connection throws(SQLiteDatabaseError) in
            let insert = try connection.statement(
                "INSERT INTO record (position, checksum, payload) VALUES (?1, ?2, ?3)"
            )
            for (position, payload) in entries {
                try payload.bind(to: insert, under: position)
                try insert.run()
            }
        }
        isWritten = true
    }
}

extension SQLiteLedger {
    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        let end = min(head, position + limit)
        guard position < end else { return [] }
        if let records = recentRecords(after: position, through: end) { return records }
        return try core.use { connection throws(SQLiteDatabaseError) in
            let select = try connection.statement(
                "SELECT position, checksum, payload FROM record WHERE position BETWEEN ?1 AND ?2 ORDER BY position"
            )
            defer { select.reset() }
            try select.bind(position + 1, at: 1)
            try select.bind(end, at: 2)
            var records: [LedgerRecord] = []
            for number in position + 1...end {
                guard try select.step() else { throw core.missing(number) }
                let row = Row(select)
                guard row.position == number else { throw core.missing(number) }
                records.append(try record(row))
            }
            return records
        }
    }

    private func record(_ row: Row) throws(SQLiteDatabaseError) -> LedgerRecord {
        if row.isSetApart { return .unreadable }
        let (number, data) = (row.position, row.payload ?? Data())
        do throws(StoredPayload.Unreadable) {
            return try StoredPayload.read(data, checksum: row.checksum, under: number) {
                try LedgerRecord(unpacking: $0)
            }
        } catch {
            if error.isWhole {
                throw SQLiteDatabaseError(
                    .newer,
                    "\(core.name) was written by a newer version: see record \(number) of its ledger"
                )
            }
            throw SQLiteDatabaseError(
                damaged: core.name,
                "record \(number) of its ledger cannot be read, \(error.reason)"
            )
        }
    }
}

extension DatabaseCore {
    fileprivate func missing(_ number: Int) -> SQLiteDatabaseError {
        SQLiteDatabaseError(damaged: name, "record \(number) of its ledger is missing")
    }
}

extension Row {
    /// The snapshot in the row; nil if the checksum does not match.
    fileprivate var snapshot: LedgerSnapshot? {
        let data = payload ?? Data()
        guard StoredPayload(data, under: position).checksum == checksum else { return nil }
        return LedgerSnapshot(position: position, state: data)
    }
}

// Snapshots are an optimization: an unreadable one costs only time, and the next one replaces it.
extension SQLiteLedger {
    func snapshot() throws -> LedgerSnapshot? {
        try core.use { connection throws(SQLiteDatabaseError) in
            guard let row = try Self.row(core, connection) else { return nil }
            if let snapshot = row.snapshot { return snapshot }
            core.note("the snapshot of the ledger cannot be read: its checksum does not match")
            return nil
        }
    }

    /// The row of the snapshot; nil if there is none, or if a page of its table is corrupt.
    private static func row(_ core: DatabaseCore, _ connection: Connection) throws(SQLiteDatabaseError) -> Row? {
        do throws(SQLiteDatabaseError) {
            let row = try connection.statement("SELECT position, checksum, payload FROM snapshot")
            defer { row.reset() }
            return try row.step() ? Row(row) : nil
        } catch {
            guard error.code == .damaged else { throw error }
            core.note("the snapshot of the ledger cannot be read: \(error)")
            return nil
        }
    }

    func keep(_ snapshot: LedgerSnapshot) throws {
        let payload = StoredPayload(snapshot.state, under: snapshot.position)
        try core.write { connection throws(SQLiteDatabaseError) in
            do throws(SQLiteDatabaseError) {
                try connection.statement("DELETE FROM snapshot").run()
                let insert = try connection.statement(
                    "INSERT INTO snapshot (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                try payload.bind(to: insert, under: snapshot.position)
                try insert.run()
            } catch {
                guard error.code == .damaged else { throw error }
                // The records may be sound, so the file remains usable.
                throw SQLiteDatabaseError(.other, "the snapshot of the ledger cannot be replaced: \(error)")
            }
        }
    }
}
