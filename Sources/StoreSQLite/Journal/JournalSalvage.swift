#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A salvage of a journal's commands if SQLite cannot read every page of their table.
    ///
    /// The old table is retained unchanged under another name, and its readable rows are copied to a new one.
    struct JournalSalvage {
        private let core: DatabaseCore
        private let connection: Connection

        init(_ core: DatabaseCore, _ connection: Connection) {
            self.core = core
            self.connection = connection
        }

        /// Returns the readable rows, in order.
        func rescue() throws(SQLiteDatabaseError) -> [CommandRow] {
            // From both ends up to the damaged page; the index also lists the rows that were on it.
            let forward = try sequences("SELECT sequence, checksum FROM command ORDER BY sequence")
            let backward = try sequences("SELECT sequence, checksum FROM command ORDER BY sequence DESC")
            let indexed = try sequences("SELECT sequence FROM command INDEXED BY sqlite_autoindex_command_1")
            let known = forward.found.union(backward.found).union(indexed.found)
            var rows: [CommandRow] = []
            for sequence in known.sorted() { rows += try row(sequence) }
            let lost = known.subtracting(rows.map(\.sequence)).sorted()
            // All rows are known if either can be read completely.
            let isWhole = forward.isWhole || indexed.isWhole
            do throws(SQLiteDatabaseError) {
                try connection.transaction { () throws(SQLiteDatabaseError) in
                    try core.setAside("command", on: connection)
                    let insert = try connection.statement(
                        "INSERT OR IGNORE INTO command (\(CommandRow.columns)) VALUES (?1, ?2, ?3, ?4, ?5)"
                    )
                    for row in rows {
                        try row.bind(to: insert)
                        try insert.run()
                    }
                    for sequence in lost { try report(sequence, Row.damagedPage) }
                    if !isWhole {
                        try report(
                            rows.last?.sequence ?? 0,
                            "\(Row.damagedPage), and how many others were lost is not known"
                        )
                    }
                }
            } catch { core.note("what is on a damaged page could not be set apart: \(error)") }
            let count = "\(lost.count)\(isWhole ? "" : " or more")"
            core.note("a page of the journal is damaged: \(count) commands are lost, \(rows.count) are left")
            return rows
        }

        private func report(_ sequence: Int, _ reason: String) throws(SQLiteDatabaseError) {
            try core.keep(DamagedRecord(place: .journal, number: sequence, reason: reason), Data(), on: connection)
        }

        /// Returns the values of the first column, and whether all could be read.
        private func sequences(_ sql: String) throws(SQLiteDatabaseError) -> (found: Set<Int>, isWhole: Bool) {
            let select = try connection.statement(sql)
            defer { select.reset() }
            var found: Set<Int> = []
            do throws(SQLiteDatabaseError) {
                while try select.step() { found.insert(select.integer(0)) }
                return (found, true)
            } catch {
                guard error.code == .damaged else { throw error }
                return (found, false)
            }
        }

        private func row(_ sequence: Int) throws(SQLiteDatabaseError) -> [CommandRow] {
            let select = try connection.statement("SELECT \(CommandRow.columns) FROM command WHERE sequence = ?1")
            defer { select.reset() }
            do throws(SQLiteDatabaseError) {
                try select.bind(sequence, at: 1)
                return try select.step() ? [CommandRow(select)] : []
            } catch {
                guard error.code == .damaged else { throw error }
                return []
            }
        }
    }
#endif
