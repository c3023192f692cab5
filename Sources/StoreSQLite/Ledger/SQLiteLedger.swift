import Foundation
import StoreCore

#if canImport(CSQLite)
    /// A store's ledger in a database.
    ///
    /// No other process writes the file while it is open, so the number of records is known without reading it.
    // unchecked: mutable state is accessed only under the condition's lock.
    final class SQLiteLedger: DurableLedger, @unchecked Sendable {
        let lane: BackendLane
        let core: DatabaseCore
        private let condition = NSCondition()
        private var committed: Int
        /// The highest number of records that the file announces so far.
        private var reserved = 0
        /// The records that are appended but not committed.
        private var staged: [Entry] = []
        private var stagedRecords: [LedgerRecord] = []
        /// The records of the last commit, if there were many, to avoid reading them back.
        private var recent: ArraySlice<LedgerRecord> = []

        private struct Entry {
            let position: Int
            let payload: StoredPayload
            /// Whether later records depend on it, so that it needs a second copy.
            let isCountedOn: Bool
        }

        /// The number of recent records that a store gets without a read.
        private static let atHand = 64

        /// The number of future records that the file announces.
        ///
        /// If the page with the last records is damaged, the next record is placed after all that may have existed.
        private static let reserve = 1024

        init(_ core: DatabaseCore, lane: BackendLane) throws(SQLiteDatabaseError) {
            self.core = core
            self.lane = lane
            committed = try core.use { connection throws(SQLiteDatabaseError) in
                // Records in a snapshot existed, whatever their state now.
                max(try LedgerSalvage.end(core, connection), try Self.endOfSnapshot(core, connection))
            }
        }

        var head: Int { condition.withLock { committed } }

        /// Returns records of the last commit; nil if they do not cover the range.
        func recentRecords(after position: Int, through end: Int) -> [LedgerRecord]? {
            condition.withLock {
                let start = committed - recent.count
                guard position >= start, end <= committed, !recent.isEmpty else { return nil }
                return Array(recent[position - start..<end - start])
            }
        }

        /// Corrects the number of records after a snapshot proved invalid.
        func correctHead(_ head: Int) {
            condition.withLock { if staged.isEmpty { (committed, recent) = (head, []) } }
        }

        func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
            let entries = try records.enumerated().map { offset, record in
                let position = head + offset + 1
                return Entry(
                    position: position,
                    payload: try StoredPayload(under: position) { try record.packed() },
                    isCountedOn: record.isCountedOn
                )
            }
            return condition.withLock {
                // Only the thread that staged the records sees them; all others wait until they are committed or dropped.
                while !staged.isEmpty, head != committed + staged.count { condition.wait() }
                guard head == committed + staged.count else { return false }
                staged += entries
                stagedRecords += records
                return true
            }
        }

        func commit() throws {
            let (entries, reserved, end) = condition.withLock { (staged, self.reserved, committed) }
            guard let last = entries.last else { return }
            var isWritten = false
            let bound = last.position > reserved ? last.position + Self.reserve : reserved
            defer {
                condition.withLock {
                    if isWritten {
                        (committed, self.reserved) = (committed + entries.count, bound)
                        recent = stagedRecords.count > Self.atHand ? stagedRecords[...] : []
                    }
                    (staged, stagedRecords) = ([], [])
                    condition.broadcast()
                }
            }
            do { try write(entries, bound: bound == reserved ? nil : bound) } catch {
                guard error.code == .damaged, try mend(through: end) else { throw error }
                try write(entries, bound: bound)
            }
            isWritten = true
        }

        /// Replaces unreadable tables other than that of the records.
        ///
        /// Returns false if there are none.
        private func mend(through end: Int) throws(SQLiteDatabaseError) -> Bool {
            let isReserveNew = try LedgerSalvage.replaceReserve(core)
            return try SpareSalvage.replace(core, through: end) || isReserveNew
        }

        private func write(_ entries: [Entry], bound: Int?) throws(SQLiteDatabaseError) {
            try core.write { connection throws(SQLiteDatabaseError) in
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
                guard let bound else { return }
                let reserve = try connection.statement("UPDATE reserve SET position = ?1")
                try reserve.bind(bound, at: 1)
                try reserve.run()
            }
        }
    }
#else

    /// The placeholder for a ledger without SQLite: never created.
    final class SQLiteLedger: DurableLedger {
        let lane = BackendLane.caller
        init(_ core: DatabaseCore, lane: BackendLane) throws(SQLiteDatabaseError) { throw .unavailable }
        var head: Int { get throws { throw SQLiteDatabaseError.unavailable } }
        func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
            throw SQLiteDatabaseError.unavailable
        }
        func commit() throws { throw SQLiteDatabaseError.unavailable }
        func read(after position: Int, limit: Int) throws -> [LedgerRecord] { throw SQLiteDatabaseError.unavailable }
        func snapshot() throws -> LedgerSnapshot? { throw SQLiteDatabaseError.unavailable }
        func keep(_ snapshot: LedgerSnapshot) throws { throw SQLiteDatabaseError.unavailable }
    }
#endif

#if canImport(CSQLite)
    extension SQLiteLedger {
        func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
            let end = min(head, position + limit)
            guard position < end else { return [] }
            if let records = recentRecords(after: position, through: end) { return records }
            return try core.use { connection throws(SQLiteDatabaseError) in
                var reading = Reading(next: position + 1)
                let (rows, isPageDamaged) = try Row.read(position + 1...end, of: "record", on: connection)
                let reason = isPageDamaged ? Row.damagedPage : "it is missing"
                for row in rows {
                    while reading.next < row.position { try lose(reason, Data(), connection, &reading) }
                    try take(row, connection, &reading)
                }
                while reading.next <= end { try lose(reason, Data(), connection, &reading) }
                if isPageDamaged, LedgerSalvage(core, connection).rescue(through: head) {
                    // The records of the page have been reported and moved.
                    reading.damaged.removeAll { $0.record.reason == Row.damagedPage }
                }
                setApart(reading.damaged, connection)
                return reading.records
            }
        }

        private struct Reading {
            /// The number of the next record.
            var next: Int
            var records: [LedgerRecord] = []
            var damaged: [(record: DamagedRecord, data: Data)] = []
        }

        private func take(
            _ row: Row,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(SQLiteDatabaseError) {
            guard let data = row.payload else {
                // It was set apart earlier.
                reading.records.append(.unreadable)
                reading.next += 1
                return
            }
            let record: LedgerRecord
            do throws(StoredPayload.Unreadable) { record = try row.record(data) } catch {
                if error.isWhole { throw newer(row.position) }
                return try lose(error.reason, data, connection, &reading)
            }
            reading.records.append(record)
            reading.next += 1
        }

        /// Handles an unreadable next record: it has a second copy, or no other record depends on it.
        private func lose(
            _ reason: String,
            _ data: Data,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(SQLiteDatabaseError) {
            let number = reading.next
            let (rows, isPageDamaged) = try Row.read(number...number, of: "spare", on: connection)
            if let spare = rows.first {
                do throws(StoredPayload.Unreadable) {
                    reading.records.append(try spare.record(spare.payload ?? Data()))
                } catch {
                    throw error.isWhole ? newer(number) : lostTwice(number)
                }
                core.note("record \(number) of the ledger was read from its second copy: of the first, \(reason)")
            } else if isPageDamaged {
                // Whether there was a copy is unknown.
                throw lostTwice(number)
            } else {
                reading.records.append(.unreadable)
                reading.damaged.append((DamagedRecord(place: .ledger, number: number, reason: reason), data))
            }
            reading.next += 1
        }

        private func lostTwice(_ number: Int) -> SQLiteDatabaseError {
            let sentence = "record \(number) of the ledger, on which later ones count, cannot be read, twice over"
            return SQLiteDatabaseError(.damaged, sentence)
        }

        private func newer(_ number: Int) -> SQLiteDatabaseError {
            SQLiteDatabaseError(
                .newer,
                "\(core.name) was written by a newer version: see record \(number) of its ledger"
            )
        }

        private func setApart(_ damaged: [(record: DamagedRecord, data: Data)], _ connection: Connection) {
            core.setApart(damaged, on: connection) { record throws(SQLiteDatabaseError) in
                // An empty row preserves its position.
                let empty = try connection.statement(
                    "INSERT OR REPLACE INTO record (position, checksum, payload) VALUES (?1, 0, NULL)"
                )
                try empty.bind(record.number, at: 1)
                try empty.run()
            }
        }
    }

    extension Row {
        /// Decodes a record's payload.
        func record(_ data: Data) throws(StoredPayload.Unreadable) -> LedgerRecord {
            try StoredPayload.read(data, checksum: checksum, under: position) { try LedgerRecord(unpacking: $0) }
        }
    }

    // Only an optimization: an unreadable snapshot costs only time.
    extension SQLiteLedger {
        func snapshot() throws -> LedgerSnapshot? {
            try core.use { connection throws(SQLiteDatabaseError) in
                let row: Row?
                do throws(SQLiteDatabaseError) { row = try Self.row(on: connection) } catch {
                    guard error.code == .damaged else { throw error }
                    Self.setAside(core, connection)
                    correctHead(try LedgerSalvage.end(core, connection))
                    return nil
                }
                guard let row else { return nil }
                let (position, data) = (row.position, row.payload ?? Data())
                if StoredPayload(data, under: position).checksum == row.checksum {
                    return LedgerSnapshot(position: position, state: data)
                }
                let damage = DamagedRecord(place: .snapshot, number: position, reason: "its checksum does not match")
                core.setApart([(damage, data)], on: connection) { record throws(SQLiteDatabaseError) in
                    try connection.execute("DELETE FROM snapshot")
                }
                // Its number of records is not reliable either.
                correctHead(try LedgerSalvage.end(core, connection))
                return nil
            }
        }

        private static func row(on connection: Connection) throws(SQLiteDatabaseError) -> Row? {
            let row = try connection.statement("SELECT position, checksum, payload FROM snapshot")
            defer { row.reset() }
            return try row.step() ? Row(row) : nil
        }

        /// Returns the number of records that the snapshot contains.
        static func endOfSnapshot(_ core: DatabaseCore, _ connection: Connection) throws(SQLiteDatabaseError) -> Int {
            do throws(SQLiteDatabaseError) {
                return try connection.number("SELECT max(position) FROM snapshot") ?? 0
            } catch {
                guard error.code == .damaged else { throw error }
                setAside(core, connection)
                return 0
            }
        }

        /// Sets aside the snapshots, whose page is damaged.
        private static func setAside(_ core: DatabaseCore, _ connection: Connection) {
            let damage = DamagedRecord(place: .snapshot, number: 0, reason: Row.damagedPage)
            core.setApart([(damage, Data())], on: connection) { _ throws(SQLiteDatabaseError) in
                try core.setAside("snapshot", on: connection)
            }
        }

        func keep(_ snapshot: LedgerSnapshot) throws {
            let payload = StoredPayload(snapshot.state, under: snapshot.position)
            try core.write { connection throws(SQLiteDatabaseError) in
                try connection.statement("DELETE FROM snapshot").run()
                let insert = try connection.statement(
                    "INSERT INTO snapshot (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                try payload.bind(to: insert, under: snapshot.position)
                try insert.run()
            }
        }
    }
#endif
