#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A store's ledger, in a database.
    ///
    /// No other process writes the file while it is open, so that the number of records is known without reading it.
    // unchecked: what changes is touched only with the condition's lock held.
    final class SQLiteLedger: DurableLedger, @unchecked Sendable {
        let lane: BackendLane
        let core: DatabaseCore
        private let condition = NSCondition()
        private var committed: Int
        /// The limit up to which the file says that there may be records, if it does yet.
        private var reserved = 0
        /// The records appended and not committed.
        private var staged: [Entry] = []
        private var stagedRecords: [LedgerRecord] = []
        /// The records of the last commit, if there were many, so that they need not be read back.
        private var recent: ArraySlice<LedgerRecord> = []

        private struct Entry {
            let position: Int
            let payload: StoredPayload
            /// Whether later records depend on it, so that it needs a second copy.
            let isCountedOn: Bool
        }

        /// The number of records that a store gets at once without reading them back.
        private static let atHand = 64

        /// The number of future records that the file announces.
        ///
        /// Where the page with the last ones is damaged, the next is put behind all that there may have been.
        private static let reserve = 1024

        init(_ core: DatabaseCore, lane: BackendLane) throws(StoreDatabaseError) {
            self.core = core
            self.lane = lane
            committed = try core.use { connection throws(StoreDatabaseError) in
                // Records in a snapshot existed, whatever has become of them.
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

        /// Corrects the number of records after a snapshot proved wrong.
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
                // A thread that has seen the staged records has staged them; all others wait until they are committed
                // or dropped.
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

        /// Replaces the unreadable tables beside the records.
        ///
        /// Returns false where there is none.
        private func mend(through end: Int) throws(StoreDatabaseError) -> Bool {
            let isReserveNew = try LedgerSalvage.replaceReserve(core)
            return try SpareSalvage.replace(core, through: end) || isReserveNew
        }

        private func write(_ entries: [Entry], bound: Int?) throws(StoreDatabaseError) {
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
                guard let bound else { return }
                let reserve = try connection.statement("UPDATE reserve SET position = ?1")
                try reserve.bind(bound, at: 1)
                try reserve.run()
            }
        }
    }
#else
    import StoreCore

    /// The placeholder for a ledger where there is no SQLite: it is never created.
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
