#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import Testing

    /// A file as SQLite alone sees it.
    final class RawDatabase {
        private var handle: OpaquePointer?

        init(_ file: URL) throws { try #require(sqlite3_open(file.path(percentEncoded: false), &handle) == SQLITE_OK) }

        deinit { sqlite3_close(handle) }

        func run(_ sql: String) throws {
            try #require(
                sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK,
                "\(String(cString: sqlite3_errmsg(handle)))"
            )
        }

        /// The first column of every row.
        func texts(_ sql: String) throws -> [String] {
            var statement: OpaquePointer?
            try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
            defer { sqlite3_finalize(statement) }
            var rows: [String] = []
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
            }
            return rows
        }
    }
#endif
