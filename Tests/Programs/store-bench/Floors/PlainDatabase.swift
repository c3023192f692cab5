#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import StoreCore
    import StoreSQLite

    /// SQLite alone, with the minimum of a durable purchase: a row when it is bought, a mark when it is finished.
    final class PlainDatabase {
        private var handle: OpaquePointer?
        private var insert: OpaquePointer?
        private var finish: OpaquePointer?
        private var begin: OpaquePointer?
        private var commit: OpaquePointer?
        private var number: Int64 = 0

        struct Trouble: Error, CustomStringConvertible {
            let description: String
        }

        init(_ file: URL, _ durability: SQLiteDatabase.Durability) throws {
            try check(sqlite3_open(file.path(percentEncoded: false), &handle))
            try run(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL");
                CREATE TABLE IF NOT EXISTS purchase (
                    id INTEGER PRIMARY KEY, product TEXT NOT NULL, state INTEGER NOT NULL, date REAL NOT NULL
                );
                CREATE INDEX IF NOT EXISTS pending ON purchase (id) WHERE state < 2;
                """
            )
            insert = try prepare("INSERT INTO purchase (product, state, date) VALUES (?1, 1, ?2)")
            finish = try prepare("UPDATE purchase SET state = 2 WHERE id = ?1")
            begin = try prepare("BEGIN IMMEDIATE")
            commit = try prepare("COMMIT")
        }

        deinit {
            for statement in [insert, finish, begin, commit] { sqlite3_finalize(statement) }
            sqlite3_close(handle)
        }

        /// Makes purchases with two commits each.
        func buySingly(_ count: Int) throws -> Int {
            for _ in 0..<count {
                try buy()
                try finish(number)
            }
            return count
        }

        /// Makes purchases with two commits for 64.
        func buyInGroups(_ count: Int) throws -> Int {
            var done = 0
            while done < count {
                let size = min(64, count - done)
                let first = number + 1
                try step(begin)
                for _ in 0..<size { try buy() }
                try step(commit)
                try step(begin)
                for id in first...number { try finish(id) }
                try step(commit)
                done += size
            }
            return done
        }

        func fill(past: Int, pending: Int) throws {
            try step(begin)
            for _ in 0..<past {
                try buy()
                try finish(number)
            }
            for _ in 0..<pending { try buy() }
            try step(commit)
        }

        /// Reads and counts pending purchases.
        func pending() throws -> Int {
            let rows = try prepare("SELECT id, product, state, date FROM purchase WHERE state < 2 ORDER BY id")
            defer { sqlite3_finalize(rows) }
            var products: [String] = []
            while sqlite3_step(rows) == SQLITE_ROW {
                products.append(sqlite3_column_text(rows, 1).map { String(cString: $0) } ?? "")
            }
            return products.count
        }

        private func buy() throws {
            try check(sqlite3_bind_text(insert, 1, "sword", -1, nil))
            try check(sqlite3_bind_double(insert, 2, 1_000_000))
            try step(insert)
            number = sqlite3_last_insert_rowid(handle)
        }

        private func finish(_ id: Int64) throws {
            try check(sqlite3_bind_int64(finish, 1, id))
            try step(finish)
        }

        private func step(_ statement: OpaquePointer?) throws {
            let status = sqlite3_step(statement)
            sqlite3_reset(statement)
            if status != SQLITE_DONE { try check(status) }
        }

        private func prepare(_ sql: String) throws -> OpaquePointer? {
            var statement: OpaquePointer?
            try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
            return statement
        }

        private func run(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

        private func check(_ status: Int32) throws {
            if status != SQLITE_OK { throw Trouble(description: String(cString: sqlite3_errmsg(handle))) }
        }
    }

    extension TemporaryFolder {
        /// Returns the URL of a file that does not exist yet.
        func newFile() -> URL { url.appending(path: "\(UUID()).sqlite") }
    }
#endif
