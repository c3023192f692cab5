#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A salvage of the second copies of records if SQLite cannot read every page of their table.
    ///
    /// The old table is retained unchanged under another name.
    struct SpareSalvage {
        private let core: DatabaseCore
        private let connection: Connection

        /// Replaces the damaged table with a new one that has the readable copies, and new copies of the other records.
        ///
        /// - Returns: whether it was damaged.
        /// - Throws: ``SQLiteDatabaseError/Code/damaged`` if a record is unreadable too, so that it is unknown whether it
        ///   had a copy.
        static func replace(_ core: DatabaseCore, through end: Int) throws(SQLiteDatabaseError) -> Bool {
            try core.use { connection throws(SQLiteDatabaseError) in
                try SpareSalvage(core: core, connection: connection).replace(through: end)
            }
        }

        private func replace(through end: Int) throws(SQLiteDatabaseError) -> Bool {
            // Read before anything is written: a transaction that reaches a damaged page cannot continue.
            guard let copies = try copies(through: end) else { return false }
            try connection.transaction { () throws(SQLiteDatabaseError) in
                try core.setAside("spare", on: connection)
                let insert = try connection.statement(
                    "INSERT INTO spare (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                for copy in copies {
                    try insert.bind(copy.position, at: 1)
                    try insert.bind(copy.checksum, at: 2)
                    try insert.bind(copy.payload ?? Data(), at: 3)
                    try insert.run()
                }
            }
            core.note("the second copies of the ledger's records were made anew: a page is damaged")
            return true
        }

        /// Returns the content of the new table; nil if the old one is sound.
        private func copies(through end: Int) throws(SQLiteDatabaseError) -> [Row]? {
            var copies: [Row] = []
            var isDamaged = false
            var next = 1
            // Also if there is no record yet.
            let last = max(end, 1)
            while next <= last {
                let range = next...min(last, next + 255)
                let (spares, isPageDamaged) = try Row.read(range, of: "spare", on: connection)
                copies += isPageDamaged ? try complete(spares, range, end) : spares
                isDamaged = isDamaged || isPageDamaged
                next = range.upperBound + 1
            }
            return isDamaged ? copies : nil
        }

        /// Completes the readable copies of a range with copies of its records.
        private func complete(
            _ spares: [Row],
            _ range: ClosedRange<Int>,
            _ end: Int
        ) throws(SQLiteDatabaseError) -> [Row] {
            let known = Dictionary(uniqueKeysWithValues: spares.map { ($0.position, $0) })
            let records = try Row.read(range, of: "record", on: connection).rows
            let found = Dictionary(uniqueKeysWithValues: records.map { ($0.position, $0) })
            var copies: [Row] = []
            for position in range where position <= end {
                if let spare = known[position] {
                    copies.append(spare)
                } else if let row = found[position], try isCountedOn(row) {
                    copies.append(row)
                } else if found[position] == nil {
                    throw unknown(position)
                }
            }
            return copies
        }

        /// Returns whether a readable record needs a copy.
        private func isCountedOn(_ row: Row) throws(SQLiteDatabaseError) -> Bool {
            // It was set apart when no record was known to depend on it.
            guard let payload = row.payload else { return false }
            do throws(StoredPayload.Unreadable) { return try row.record(payload).isCountedOn } catch {
                // Dependencies of a newer version are unknown here.
                if error.isWhole { return true }
                throw unknown(row.position)
            }
        }

        private func unknown(_ position: Int) -> SQLiteDatabaseError {
            SQLiteDatabaseError(
                .damaged,
                "\(core.name) is damaged: record \(position) of its ledger cannot be read, nor whether later ones count on it"
            )
        }
    }
#endif
