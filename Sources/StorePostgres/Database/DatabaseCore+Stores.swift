#if canImport(CPostgres)
    import Foundation
    import StoreCore

    extension DatabaseCore {
        /// Returns the number of a store or journal, which is added if there is none of that name.
        func number(of name: String, in table: String, _ kind: String) throws(PostgresDatabaseError) -> Int {
            let query = "SELECT id FROM \(table) WHERE name = $1::text"
            return try read(name, in: table, kind, by: [query]) { found, _ in found[0].integer(0, 0) }
        }

        /// Reads what queries about a name find of a store or journal, which is added if there is none of that name.
        ///
        /// The first query has a row for it. The others are left out if they fail. `body` is called with the number of the
        /// connection, too.
        func read<R>(
            _ name: String,
            in table: String,
            _ kind: String,
            by queries: [String],
            _ body: ([ResultRows], Int) -> R
        ) throws(PostgresDatabaseError) -> R {
            guard 1...200 ~= name.utf8.count, !name.utf8.contains(0) else {
                throw PostgresDatabaseError(.settings, "the name of a \(kind) has from 1 to 200 bytes, and none is 0")
            }
            return try read { connection throws(PostgresDatabaseError) in
                for _ in 1...2 {
                    let requests = queries.map { Connection.Request($0, [.text(name)]) }
                    let found: [ResultRows]
                    do throws(PostgresDatabaseError) { found = try connection.run(requests) } catch {
                        if queries.count == 1 || connection.isBroken || Self.endsConnection(error) { throw error }
                        // The others are shortcuts: what they ask for is asked for again, and found to be unreadable then.
                        found = try connection.run([requests[0]])
                    }
                    if found[0].count > 0 { return body(found, connection.number) }
                    let sql = "INSERT INTO \(table) (name) VALUES ($1::text) ON CONFLICT DO NOTHING"
                    _ = try connection.run(sql, .text(name))
                }
                throw PostgresDatabaseError(.other, "the \(kind) \(name) was removed while it was added")
            }
        }

        func stores() throws(PostgresDatabaseError) -> [String] {
            try read { connection throws(PostgresDatabaseError) in
                let rows = try connection.run("SELECT name FROM \(tables.store) ORDER BY name")
                return (0..<rows.count).map { rows.text($0, 0) }
            }
        }

        func removeStore(_ name: String) throws(PostgresDatabaseError) {
            try read { connection throws(PostgresDatabaseError) in
                let owned = "store IN (SELECT id FROM \(tables.store) WHERE name = $1::text)"
                let statements = [
                    "DELETE FROM \(tables.record) WHERE \(owned)", "DELETE FROM \(tables.snapshot) WHERE \(owned)",
                    "DELETE FROM \(tables.store) WHERE name = $1::text",
                ]
                _ = try connection.run(statements.map { Connection.Request($0, [.text(name)]) })
            }
        }

        func removeJournal(_ name: String) throws(PostgresDatabaseError) {
            try read { connection throws(PostgresDatabaseError) in
                let owned = "journal IN (SELECT id FROM \(tables.journal) WHERE name = $1::text)"
                let statements =
                    [tables.command, tables.forgotten, tables.opening].map { "DELETE FROM \($0) WHERE \(owned)" } + [
                        "DELETE FROM \(tables.journal) WHERE name = $1::text"
                    ]
                _ = try connection.run(statements.map { Connection.Request($0, [.text(name)]) })
            }
        }

        func check(_ name: String) throws(PostgresDatabaseError) -> [String] {
            let store = try read { connection throws(PostgresDatabaseError) in
                let found = try connection.run("SELECT id FROM \(tables.store) WHERE name = $1::text", .text(name))
                guard found.count > 0 else { throw PostgresDatabaseError(.other, "there is no store \(name)") }
                return found.integer(0, 0)
            }
            var lines: [String] = []
            var position = 0
            while true {
                let sql =
                    "SELECT \(RecordRow.columns) FROM \(tables.record) WHERE store = $1 AND position > $2 ORDER BY position LIMIT 1000"
                let rows = try read { [position] connection throws(PostgresDatabaseError) in
                    try connection.run(sql, .integer(store), .integer(position))
                }
                if rows.count == 0 { return lines }
                for row in RecordRow.all(in: rows) {
                    if row.position > position + 1 {
                        lines.append("records \(position + 1) to \(row.position - 1) are missing")
                    }
                    do throws(PostgresDatabaseError) {
                        if try row.record(of: name) == nil { lines.append("record \(row.position) cannot be read") }
                    } catch {
                        lines.append(error.description)
                    }
                    position = row.position
                }
            }
        }
    }
#else
    import StoreCore

    extension DatabaseCore {
        func stores() throws(PostgresDatabaseError) -> [String] { throw .unavailable }
        func removeStore(_ name: String) throws(PostgresDatabaseError) { throw .unavailable }
        func removeJournal(_ name: String) throws(PostgresDatabaseError) { throw .unavailable }
        func check(_ name: String) throws(PostgresDatabaseError) -> [String] { throw .unavailable }
    }
#endif
