#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// A prepared statement.
    final class Statement {
        private let handle: OpaquePointer
        private let error: (Int32) -> SQLiteDatabaseError

        init(_ handle: OpaquePointer, error: @escaping (Int32) -> SQLiteDatabaseError) {
            self.handle = handle
            self.error = error
        }

        /// Finalizes the statement.
        ///
        /// Must be called once, before the connection is closed.
        func finalize() { sqlite3_finalize(handle) }

        func bind(_ number: Int, at index: Int32) throws(SQLiteDatabaseError) {
            try check(sqlite3_bind_int64(handle, index, Int64(number)))
        }

        func bind(_ text: String, at index: Int32) throws(SQLiteDatabaseError) {
            try check(sqlite3_bind_text(handle, index, text, -1, Self.transient))
        }

        func bind(_ data: Data, at index: Int32) throws(SQLiteDatabaseError) {
            let status = data.withUnsafeBytes { bytes in
                // An empty buffer has no address, and SQLite binds a missing address as NULL.
                guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.transient)
            }
            try check(status)
        }

        /// Steps to the next row; returns false after the last one.
        func step() throws(SQLiteDatabaseError) -> Bool {
            let status = sqlite3_step(handle)
            switch status {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw error(status)
            }
        }

        /// Resets the statement for another use.
        func reset() { sqlite3_reset(handle) }

        /// Runs a statement that returns no rows.
        func run() throws(SQLiteDatabaseError) {
            defer { reset() }
            while try step() {}
        }

        func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

        func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        func text(_ column: Int32) -> String? { sqlite3_column_text(handle, column).map { String(cString: $0) } }

        func data(_ column: Int32) -> Data {
            guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
        }

        private func check(_ status: Int32) throws(SQLiteDatabaseError) {
            guard status == SQLITE_OK else { throw error(status) }
        }

        /// The destructor that makes SQLite copy bound values.
        private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
#else
    import Foundation

    /// The placeholder for a statement without SQLite: never created, as its property of type Never ensures.
    struct Statement {
        private let never: Never

        func bind(_ number: Int, at index: Int32) throws(SQLiteDatabaseError) { switch never {} }
        func bind(_ text: String, at index: Int32) throws(SQLiteDatabaseError) { switch never {} }
        func bind(_ data: Data, at index: Int32) throws(SQLiteDatabaseError) { switch never {} }
        func step() throws(SQLiteDatabaseError) -> Bool { switch never {} }
        func reset() { switch never {} }
        func run() throws(SQLiteDatabaseError) { switch never {} }
        func integer(_ column: Int32) -> Int { switch never {} }
        func isNull(_ column: Int32) -> Bool { switch never {} }
        func text(_ column: Int32) -> String? { switch never {} }
        func data(_ column: Int32) -> Data { switch never {} }
    }
#endif
