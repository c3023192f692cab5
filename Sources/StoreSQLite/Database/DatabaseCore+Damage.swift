#if canImport(CSQLite)
    import Foundation
    import StoreCore

    // Unreadable records are set apart and reported, and the rest is served.
    extension DatabaseCore {
        func damage() throws(StoreDatabaseError) -> [DamagedRecord] {
            try use { connection throws(StoreDatabaseError) in
                let rows = try connection.statement("SELECT place, number, reason FROM damaged ORDER BY id")
                defer { rows.reset() }
                var damage: [DamagedRecord] = []
                while try rows.step() {
                    guard let place = DamagedRecord.Place(rawValue: rows.text(0) ?? "") else { continue }
                    damage.append(DamagedRecord(place: place, number: rows.integer(1), reason: rows.text(2) ?? ""))
                }
                return damage
            }
        }

        func check() throws(StoreDatabaseError) -> [String] {
            try use { connection throws(StoreDatabaseError) in
                let rows = try connection.statement("PRAGMA integrity_check")
                defer { rows.reset() }
                var lines: [String] = []
                while try rows.step() { lines.append(rows.text(0) ?? "") }
                return lines == ["ok"] ? [] : lines
            }
        }

        /// Reports records, and moves what is left of them beside the others; `remove` takes each out of its own place.
        ///
        /// If that cannot be written they stay where they are, to be found again.
        func setApart(
            _ damaged: [(record: DamagedRecord, data: Data)],
            on connection: Connection,
            remove: (DamagedRecord) throws(StoreDatabaseError) -> Void
        ) {
            if damaged.isEmpty { return }
            for (record, _) in damaged {
                note(
                    "record \(record.number) of the \(record.place.rawValue) cannot be read and is set apart: \(record.reason)"
                )
            }
            do {
                try connection.transaction { () throws(StoreDatabaseError) in
                    for (record, data) in damaged {
                        try keep(record, data, on: connection)
                        try remove(record)
                    }
                }
            } catch { note("what cannot be read could not be set apart: \(error)") }
        }

        /// Stores what is left of a record beside the others.
        func keep(_ record: DamagedRecord, _ data: Data, on connection: Connection) throws(StoreDatabaseError) {
            let insert = try connection.statement(
                "INSERT INTO damaged (place, number, reason, payload) VALUES (?1, ?2, ?3, ?4)"
            )
            try insert.bind(record.place.rawValue, at: 1)
            try insert.bind(record.number, at: 2)
            try insert.bind(record.reason, at: 3)
            try insert.bind(data, at: 4)
            try insert.run()
        }

        /// Renames a table that SQLite cannot read whole, and puts an empty one in its place.
        ///
        /// - Returns: the new name. The old content stays for inspection.
        @discardableResult
        func setAside(_ table: String, on connection: Connection) throws(StoreDatabaseError) -> String {
            let sql = try connection.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = '\(table)'")
            let count = try connection.number(
                "SELECT count(*) FROM sqlite_master WHERE name GLOB '\(table)_damaged_*'"
            )
            let name = "\(table)_damaged_\((count ?? 0) + 1)"
            try connection.execute("ALTER TABLE \(table) RENAME TO \(name); \(sql ?? "")")
            return name
        }
    }
#endif
