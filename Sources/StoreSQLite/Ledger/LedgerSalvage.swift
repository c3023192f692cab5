#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A salvage of a ledger's records if SQLite cannot read every page of their table.
    ///
    /// The old table is retained unchanged under another name. A new one receives the readable records, or their second
    /// copies; all others are replaced by records that are marked as lost. So positions stay the same, and the new table
    /// can be written.
    struct LedgerSalvage {
        private let core: DatabaseCore
        private let connection: Connection

        init(_ core: DatabaseCore, _ connection: Connection) {
            self.core = core
            self.connection = connection
        }

        /// Returns the number of records.
        ///
        /// If the last page is damaged the number is unknown, and all records that may have existed count as lost.
        static func end(_ core: DatabaseCore, _ connection: Connection) throws(SQLiteDatabaseError) -> Int {
            do throws(SQLiteDatabaseError) {
                return try connection.number("SELECT max(position) FROM record") ?? 0
            } catch {
                guard error.code == .damaged else { throw error }
                let bound = try connection.number("SELECT position FROM reserve") ?? 0
                guard bound > 0 else { throw error }
                try LedgerSalvage(core, connection).replace(through: bound, isEndKnown: false)
                return bound
            }
        }

        /// Replaces the table of the reserved number of records, if it is unreadable.
        static func replaceReserve(_ core: DatabaseCore) throws(SQLiteDatabaseError) -> Bool {
            try core.use { connection throws(SQLiteDatabaseError) in
                do throws(SQLiteDatabaseError) {
                    _ = try connection.number("SELECT position FROM reserve")
                    return false
                } catch {
                    guard error.code == .damaged else { throw error }
                }
                try connection.transaction { () throws(SQLiteDatabaseError) in
                    try core.setAside("reserve", on: connection)
                    try connection.execute("INSERT INTO reserve VALUES (0)")
                }
                return true
            }
        }

        /// Replaces the damaged table with a new one, if that can be written.
        func rescue(through end: Int) -> Bool {
            do throws(SQLiteDatabaseError) {
                try replace(through: end, isEndKnown: true)
                return true
            } catch {
                core.note("what is on a damaged page could not be set apart: \(error)")
                return false
            }
        }

        private func replace(through end: Int, isEndKnown: Bool) throws(SQLiteDatabaseError) {
            // Read before anything is written: a transaction that reaches a damaged page cannot continue.
            let (lost, spares) = try examine(through: end)
            try connection.transaction { () throws(SQLiteDatabaseError) in
                let old = try core.setAside("record", on: connection)
                let copy = try connection.statement(
                    "INSERT INTO record (position, checksum, payload) SELECT position, checksum, payload FROM \(old) WHERE position = ?1"
                )
                for position in 1...end {
                    if lost.contains(position) {
                        try insert(nil, at: position)
                    } else if let spare = spares[position] {
                        try insert(spare, at: position)
                    } else {
                        try copy.bind(position, at: 1)
                        try copy.run()
                    }
                }
                for range in lost.rangeView {
                    try report(range, isOpen: !isEndKnown && range.upperBound == end + 1)
                }
            }
            for range in lost.rangeView {
                core.note(
                    "records \(range.lowerBound) to \(range.upperBound - 1) of the ledger, as far as there were so many, are lost: a page is damaged"
                )
            }
        }

        /// Returns the lost records, and those that exist only as a second copy.
        private func examine(through end: Int) throws(SQLiteDatabaseError) -> (lost: IndexSet, spares: [Int: Row]) {
            var lost = IndexSet()
            var spares: [Int: Row] = [:]
            var next = 1
            while next <= end {
                let range = next...min(end, next + 255)
                let found = Set(try Row.read(range, of: "record", on: connection).rows.map(\.position))
                for position in range where !found.contains(position) {
                    let (rows, isPageDamaged) = try Row.read(position...position, of: "spare", on: connection)
                    if let spare = rows.first {
                        spares[position] = spare
                    } else if isPageDamaged {
                        throw SQLiteDatabaseError(
                            .damaged,
                            "\(core.name) is damaged: record \(position) of its ledger cannot be read, nor whether later ones count on it"
                        )
                    } else {
                        lost.insert(position)
                    }
                }
                next = range.upperBound + 1
            }
            return (lost, spares)
        }

        private func insert(_ row: Row?, at position: Int) throws(SQLiteDatabaseError) {
            let insert = try connection.statement(
                "INSERT INTO record (position, checksum, payload) VALUES (?1, ?2, ?3)"
            )
            try insert.bind(position, at: 1)
            try insert.bind(row?.checksum ?? 0, at: 2)
            if let payload = row?.payload { try insert.bind(payload, at: 3) } else { try insert.bindNull(at: 3) }
            try insert.run()
        }

        /// Reports lost records; the sentence shows whether their number is known.
        private func report(_ range: Range<Int>, isOpen: Bool) throws(SQLiteDatabaseError) {
            if isOpen {
                let reason = "\(Row.damagedPage), with those behind it, of which there may have been \(range.count - 1)"
                let first = DamagedRecord(place: .ledger, number: range.lowerBound, reason: reason)
                return try core.keep(first, Data(), on: connection)
            }
            for number in range {
                let record = DamagedRecord(place: .ledger, number: number, reason: Row.damagedPage)
                try core.keep(record, Data(), on: connection)
            }
        }
    }
#endif
