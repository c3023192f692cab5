#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A store's ledger, in a database.
    ///
    /// Nobody else writes the file while it is open, so that how many records there are is known without asking.
    // unchecked: what changes is touched only with the condition's lock held.
    final class SQLiteLedger: DurableLedger, @unchecked Sendable {
        let lane: BackendLane
        private let core: DatabaseCore
        private let condition = NSCondition()
        private var committed: Int
        /// What has been appended and not committed.
        private var staged: [Entry] = []

        private struct Entry {
            let position: Int
            let payload: Payload
            /// Later records count on it, so there is to be a second copy.
            let isCountedOn: Bool
        }

        init(_ core: DatabaseCore, lane: BackendLane) throws(StoreDatabaseError) {
            self.core = core
            self.lane = lane
            committed = try core.use { connection throws(StoreDatabaseError) in
                // Records that a snapshot has taken in were there, whatever has become of them.
                max(
                    try connection.number("SELECT max(position) FROM record") ?? 0,
                    try connection.number("SELECT max(position) FROM snapshot") ?? 0
                )
            }
        }

        var head: Int { condition.withLock { committed } }

        func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
            let entries = try records.enumerated().map { offset, record in
                let position = head + offset + 1
                return Entry(
                    position: position,
                    payload: try Payload(under: position) { try record.packed() },
                    isCountedOn: record.isCountedOn
                )
            }
            return condition.withLock {
                // Who has seen what is staged has staged it; everybody else waits until it is there, or is not.
                while !staged.isEmpty, head != committed + staged.count { condition.wait() }
                guard head == committed + staged.count else { return false }
                staged += entries
                return true
            }
        }

        func commit() throws {
            let entries = condition.withLock { staged }
            if entries.isEmpty { return }
            var count = 0
            defer {
                condition.withLock {
                    staged = []
                    committed += count
                    condition.broadcast()
                }
            }
            try core.write { connection throws(StoreDatabaseError) in
                let insert = try connection.statement(
                    "INSERT INTO record (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                for entry in entries {
                    try entry.payload.bind(to: insert, under: entry.position)
                    try insert.run()
                    if !entry.isCountedOn { continue }
                    let spare = try connection.statement(
                        "INSERT INTO spare (position, checksum, payload) VALUES (?1, ?2, ?3)"
                    )
                    try entry.payload.bind(to: spare, under: entry.position)
                    try spare.run()
                }
            }
            count = entries.count
        }
    }

    // MARK: - Reading

    extension SQLiteLedger {
        func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
            let end = min(head, position + limit)
            guard position < end else { return [] }
            return try core.use { connection throws(StoreDatabaseError) in
                var reading = Reading(next: position + 1)
                let rows = try connection.statement(
                    "SELECT position, checksum, payload FROM record WHERE position BETWEEN ?1 AND ?2 ORDER BY position"
                )
                defer { rows.reset() }
                try rows.bind(position + 1, at: 1)
                try rows.bind(end, at: 2)
                while try rows.step() {
                    let number = rows.integer(0)
                    while reading.next < number { try lose("it is missing", Data(), connection, &reading) }
                    try take(rows, connection, &reading)
                }
                while reading.next <= end { try lose("it is missing", Data(), connection, &reading) }
                rows.reset()
                setApart(reading.damaged, connection)
                return reading.records
            }
        }

        private struct Reading {
            /// Which record comes next.
            var next: Int
            var records: [LedgerRecord] = []
            var damaged: [(record: DamagedRecord, data: Data)] = []
        }

        private func take(
            _ row: Statement,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(StoreDatabaseError) {
            // It was set apart before.
            if row.isNull(2) {
                reading.records.append(.unreadable)
                reading.next += 1
                return
            }
            let data = row.data(2)
            do throws(Payload.Unreadable) {
                let checksum = row.integer(1)
                let record = try Payload.read(data, checksum: checksum, under: reading.next) { data in
                    try LedgerRecord(unpacking: data)
                }
                reading.records.append(record)
                reading.next += 1
            } catch { try lose(error.reason, data, connection, &reading) }
        }

        /// The next record cannot be read: there is a second copy, or it is not one that others count on.
        private func lose(
            _ reason: String,
            _ data: Data,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(StoreDatabaseError) {
            let number = reading.next
            let spare = try connection.statement("SELECT checksum, payload FROM spare WHERE position = ?1")
            defer { spare.reset() }
            try spare.bind(number, at: 1)
            if try spare.step() {
                do throws(Payload.Unreadable) {
                    let checksum = spare.integer(0)
                    let record = try Payload.read(spare.data(1), checksum: checksum, under: number) { data in
                        try LedgerRecord(unpacking: data)
                    }
                    reading.records.append(record)
                    core.log("record \(number) of the ledger was read from its second copy: of the first, \(reason)")
                } catch {
                    let sentence =
                        "record \(number) of the ledger, on which later ones count, cannot be read, twice over"
                    throw StoreDatabaseError(.damaged, sentence)
                }
            } else {
                reading.records.append(.unreadable)
                reading.damaged.append((DamagedRecord(place: .ledger, number: number, reason: reason), data))
            }
            reading.next += 1
        }

        private func setApart(_ damaged: [(record: DamagedRecord, data: Data)], _ connection: Connection) {
            core.setApart(damaged, on: connection) { record throws(StoreDatabaseError) in
                // Its place is kept.
                let empty = try connection.statement(
                    "INSERT OR REPLACE INTO record (position, checksum, payload) VALUES (?1, 0, NULL)"
                )
                try empty.bind(record.number, at: 1)
                try empty.run()
            }
        }
    }

    // MARK: - Snapshots

    extension SQLiteLedger {
        func snapshot() throws -> LedgerSnapshot? {
            try core.use { connection throws(StoreDatabaseError) in
                let row = try connection.statement("SELECT position, checksum, payload FROM snapshot")
                defer { row.reset() }
                guard try row.step() else { return nil }
                let position = row.integer(0)
                let data = row.data(2)
                if Payload(data, under: position).checksum == row.integer(1) {
                    return LedgerSnapshot(position: position, state: data)
                }
                row.reset()
                let damage = DamagedRecord(place: .snapshot, number: position, reason: "its checksum does not match")
                core.setApart([(damage, data)], on: connection) { record throws(StoreDatabaseError) in
                    try connection.execute("DELETE FROM snapshot")
                }
                // Nor is to be believed how many records it says it took in.
                let last = try connection.number("SELECT max(position) FROM record") ?? 0
                condition.withLock { if staged.isEmpty { committed = last } }
                return nil
            }
        }

        func keep(_ snapshot: LedgerSnapshot) throws {
            let payload = Payload(snapshot.state, under: snapshot.position)
            try core.write { connection throws(StoreDatabaseError) in
                try connection.statement("DELETE FROM snapshot").run()
                let insert = try connection.statement(
                    "INSERT INTO snapshot (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                try payload.bind(to: insert, under: snapshot.position)
                try insert.run()
            }
        }
    }
#else
    import StoreCore

    /// What stands in for a ledger where there is no SQLite: there never is one.
    final class SQLiteLedger: DurableLedger {
        let lane = BackendLane.caller
        init(_ core: DatabaseCore, lane: BackendLane) throws(StoreDatabaseError) { throw .unavailable }
        var head: Int { get throws { throw StoreDatabaseError.unavailable } }
        func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
            throw StoreDatabaseError.unavailable
        }
        func commit() throws { throw StoreDatabaseError.unavailable }
        func read(after position: Int, limit: Int) throws -> [LedgerRecord] { throw StoreDatabaseError.unavailable }
        func snapshot() throws -> LedgerSnapshot? { throw StoreDatabaseError.unavailable }
        func keep(_ snapshot: LedgerSnapshot) throws { throw StoreDatabaseError.unavailable }
    }
#endif
