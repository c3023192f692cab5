#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// One connection to SQLite, and its prepared statements.
    ///
    /// Used by one thread at a time.
    final class Connection {
        private let handle: OpaquePointer
        private let path: DatabasePath
        private var statements: [String: Statement] = [:]
        private var isOpen = true

        /// Opens a file, to be read and written.
        init(_ path: DatabasePath, patience: TimeInterval) throws(StoreDatabaseError) {
            try path.create()
            var opened: OpaquePointer?
            // Without `SQLITE_OPEN_CREATE`: whoever deletes the file just now does not have SQLite make one that all may read.
            let status = sqlite3_open_v2(
                path.file,
                &opened,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                path.fileSystem
            )
            guard let opened else { throw StoreDatabaseError(.other, "there is no memory left to open \(path.name)") }
            guard status == SQLITE_OK else {
                let error = StoreDatabaseError(sqlite: status, system: sqlite3_system_errno(opened), path)
                // Before anything is stored, so that it is closed once.
                sqlite3_close_v2(opened)
                throw error
            }
            self.path = path
            handle = opened
            sqlite3_extended_result_codes(opened, 1)
            // Written so that what is no number waits for nothing.
            sqlite3_busy_timeout(opened, Int32(min(patience > 0 ? patience * 1000 : 0, Double(Int32.max))))
        }

        /// The file's first bytes; none where it is empty, or was being made when the process died.
        ///
        /// Read through SQLite's own descriptor: to close another one would give up the locks that this process has on the
        /// file.
        func header() throws(StoreDatabaseError) -> Data {
            var file: UnsafeMutablePointer<sqlite3_file>?
            let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
            guard status == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else {
                throw error(status)
            }
            var bytes = [UInt8](repeating: 0, count: 100)
            // What is not there is filled with zeros, and the read said to be short (a macro that Swift does not see).
            let result = read(file, &bytes, 100, 0)
            guard result == SQLITE_OK || result == SQLITE_IOERR | 2 << 8 else {
                throw error(result)
            }
            return bytes.allSatisfy { $0 == 0 } ? Data() : Data(bytes)
        }

        deinit { close() }

        /// Gives the file up at once; to be asked for nothing afterwards.
        func close() {
            guard isOpen else { return }
            isOpen = false
            for statement in statements.values { statement.finalize() }
            // One that is empty was made by opening the file; to keep it would be to leave something behind.
            if isLogEmpty { try? keepLog(false) }
            sqlite3_close_v2(handle)
        }

        /// Whether closing leaves the log beside the file, and so the file, as it is.
        func keepLog(_ isKept: Bool) throws(StoreDatabaseError) {
            let status = store_keep_log_on_close(handle, isKept ? 1 : 0)
            guard status == SQLITE_OK else { throw error(status) }
        }

        private var isLogEmpty: Bool {
            var log: UnsafeMutablePointer<sqlite3_file>?
            let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
            guard status == SQLITE_OK, let log, let methods = log.pointee.pMethods else { return true }
            var size: sqlite3_int64 = 0
            return methods.pointee.xFileSize(log, &size) == SQLITE_OK && size == 0
        }

        var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

        /// A statement, prepared when it is first wanted.
        func statement(_ sql: String) throws(StoreDatabaseError) -> Statement {
            if let statement = statements[sql] { return statement }
            var prepared: OpaquePointer?
            let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
            guard status == SQLITE_OK, let prepared else { throw error(status) }
            let statement = Statement(prepared) { [handle, path] in Self.error($0, of: handle, path) }
            statements[sql] = statement
            return statement
        }

        /// Runs statements that are wanted once.
        func execute(_ sql: String) throws(StoreDatabaseError) {
            let status = sqlite3_exec(handle, sql, nil, nil, nil)
            guard status == SQLITE_OK else { throw error(status) }
        }

        /// The first column of the first row, as a number.
        func number(_ sql: String) throws(StoreDatabaseError) -> Int? {
            let statement = try statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : nil
        }

        /// The first column of the first row, as a text.
        func text(_ sql: String) throws(StoreDatabaseError) -> String? {
            let statement = try statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : nil
        }

        /// Everything that `body` does, or nothing.
        func transaction<R>(
            _ mode: String = "IMMEDIATE",
            _ body: () throws(StoreDatabaseError) -> R
        ) throws(StoreDatabaseError) -> R {
            try statement("BEGIN \(mode)").run()
            do {
                let result = try body()
                try statement("COMMIT").run()
                return result
            } catch {
                // After some errors SQLite has rolled back by itself.
                if sqlite3_get_autocommit(handle) == 0 { try? statement("ROLLBACK").run() }
                throw error
            }
        }

        private func error(_ status: Int32) -> StoreDatabaseError { Self.error(status, of: handle, path) }

        /// To be called right after what failed.
        private static func error(_ status: Int32, of handle: OpaquePointer, _ path: DatabasePath) -> StoreDatabaseError
        {
            // SQLite does not keep the system's error for a commit.
            let system = errno
            let isOpening = status & 0xFF == SQLITE_CANTOPEN
            return StoreDatabaseError(sqlite: status, system: isOpening ? sqlite3_system_errno(handle) : system, path)
        }
    }
#endif
