#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// A connection to SQLite, and its prepared statements.
    ///
    /// Only one thread may use the connection at a time.
    final class Connection {
        private let handle: OpaquePointer
        private let path: DatabasePath
        private var statements: [String: Statement] = [:]
        private var isOpen = true
        private var file: OpenFile
        /// The open write-ahead log; nil until ``watchLog(checkpointInterval:)``.
        private var log: OpenFile?
        /// The number of frames in the write-ahead log after the last commit.
        private var frames = 0
        private var pageSize: Int64 = 0
        private var checkpointInterval = Int.max
        /// Whether the files were abandoned: other files may be at their paths, and must not be changed.
        private var isAbandoned = false

        /// Opens a file for reading and writing.
        init(_ file: URL, fileSystem: String?, patience: TimeInterval) throws(SQLiteDatabaseError) {
            let path = try DatabasePath(file, fileSystem: fileSystem)
            try path.create()
            var opened: OpaquePointer?
            // `SQLITE_OPEN_CREATE` is left out: if the file was deleted just now, SQLite would create one that everyone
            // can read.
            let status = sqlite3_open_v2(
                path.file,
                &opened,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                path.fileSystem
            )
            guard let opened else { throw SQLiteDatabaseError(.other, "there is no memory left to open \(path.name)") }
            do throws(SQLiteDatabaseError) {
                guard status == SQLITE_OK, let main = Self.file(SQLITE_FCNTL_FILE_POINTER, of: opened) else {
                    throw SQLiteDatabaseError(sqlite: status, system: sqlite3_system_errno(opened), path)
                }
                self.file = try OpenFile(path.name, at: path.file, main)
            } catch {
                // Closes the handle here, because `close()` cannot be called before `handle` is set.
                sqlite3_close_v2(opened)
                throw error
            }
            self.path = path
            handle = opened
            sqlite3_extended_result_codes(opened, 1)
            // A `patience` of NaN means no wait.
            sqlite3_busy_timeout(opened, Int32(min(patience > 0 ? patience * 1000 : 0, Double(Int32.max))))
        }

        private static func file(_ control: Int32, of handle: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
            var file: UnsafeMutablePointer<sqlite3_file>?
            return sqlite3_file_control(handle, "main", control, &file) == SQLITE_OK ? file : nil
        }

        /// Returns the file's first 100 bytes; none if the file is empty, or a crash interrupted its creation.
        ///
        /// The bytes are read through SQLite's own descriptor: closing another descriptor of the file would release the
        /// locks that this process has on it.
        func header() throws(SQLiteDatabaseError) -> Data {
            guard let read = file.handle.pointee.pMethods?.pointee.xRead else { throw error(SQLITE_MISUSE) }
            var bytes = [UInt8](repeating: 0, count: 100)
            // SQLite fills missing bytes with zeros, and returns `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not
            // import.
            let result = read(file.handle, &bytes, 100, 0)
            guard result == SQLITE_OK || result == SQLITE_IOERR | 2 << 8 else { throw error(result) }
            return bytes.allSatisfy { $0 == 0 } ? Data() : Data(bytes)
        }

        deinit { close() }

        /// Closes the file at once.
        ///
        /// The connection must not be used afterwards.
        ///
        /// - Returns: lines for the database's log if the files were abandoned.
        @discardableResult
        func close() -> [String] {
            guard isOpen else { return [] }
            var lines: [String] = []
            // Without a watched log, the file was refused when it was opened, and there is nothing to check.
            if log != nil, !isAbandoned {
                do throws(SQLiteDatabaseError) { try checkFiles() } catch { lines = abandon(because: error) }
            }
            isOpen = false
            for statement in statements.values { statement.finalize() }
            // Lets SQLite remove an empty log, which was created when the file was opened.
            if isLogEmpty, !isAbandoned { try? keepLog(false) }
            sqlite3_close_v2(handle)
            return lines
        }

        /// Sets whether closing retains the write-ahead log.
        ///
        /// Otherwise closing merges the log into the file and deletes it.
        func keepLog(_ isKept: Bool) throws(SQLiteDatabaseError) {
            let status = store_keep_log_on_close(handle, isKept ? 1 : 0)
            guard status == SQLITE_OK else { throw error(status) }
        }

        private var isLogEmpty: Bool {
            guard let log = Self.file(SQLITE_FCNTL_JOURNAL_POINTER, of: handle), let methods = log.pointee.pMethods
            else {
                return true
            }
            var size: sqlite3_int64 = 0
            return methods.pointee.xFileSize(log, &size) == SQLITE_OK && size == 0
        }

        // MARK: Files lost while they are open

        /// Makes every later commit check the file and its write-ahead log.
        ///
        /// - Parameter checkpointInterval: the number of frames in the log that triggers a checkpoint.
        /// - Throws: ``SQLiteDatabaseError``.
        func watchLog(checkpointInterval: Int) throws(SQLiteDatabaseError) {
            // SQLite opens its log at the first read.
            _ = try number("PRAGMA user_version")
            pageSize = Int64(try number("PRAGMA page_size") ?? 0)
            guard let opened = Self.file(SQLITE_FCNTL_JOURNAL_POINTER, of: handle) else { throw error(SQLITE_MISUSE) }
            var log = try OpenFile(path.logName, at: path.log, opened)
            log.size = log.openSize
            file.size = file.openSize
            self.log = log
            self.checkpointInterval = checkpointInterval
            // The hook reports without a system call how much a commit has written. It also replaces SQLite's own
            // checkpoints.
            sqlite3_wal_hook(
                handle,
                { connection, _, _, frames in
                    guard let connection else { return SQLITE_MISUSE }
                    Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().committed(frames: Int(frames))
                    return SQLITE_OK
                },
                Unmanaged.passUnretained(self).toOpaque()
            )
            try checkFiles()
        }

        private func committed(frames: Int) {
            self.frames = frames
            // The log has a header of 32 bytes. Each frame has a header of 24 bytes and a page.
            log?.size = 32 + Int64(frames) * (24 + pageSize)
        }

        /// Checkpoints the write-ahead log into the file.
        ///
        /// If a checkpoint is not possible now, the next commit tries again.
        private func checkpoint() {
            // Skips the checkpoint if a file was lost while the commit waited for the disk: the checkpoint would leave
            // gaps in the file. The next commit reports the loss.
            guard file.loss == nil, log?.loss == nil else { return }
            sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            let size = file.openSize
            // Accepts a shorter size only if the file still has all pages of the database, as after an automatic
            // vacuum.
            if size >= file.size || size >= wholeSize { file.size = size }
        }

        /// Throws ``SQLiteDatabaseError/Code/fileLost`` if the file or its log was lost.
        ///
        /// A file is lost if it was moved, deleted or replaced, or is shorter than SQLite left it.
        func checkFiles() throws(SQLiteDatabaseError) {
            if let loss = file.loss { throw SQLiteDatabaseError(file.name, loss) }
            if let log, let loss = log.loss { throw SQLiteDatabaseError(log.name, loss) }
        }

        /// The total length of the database's pages, whether they are in the file or in the log.
        private var wholeSize: Int64 { (try? number("PRAGMA page_count")).map { Int64($0) * pageSize } ?? .max }

        /// Abandons the files after one of them was lost: from then on, files at their paths are not changed.
        ///
        /// The log is first checkpointed into the open file. A file that was moved, or whose log is gone, thus has all
        /// committed data.
        ///
        /// - Returns: lines for the database's log.
        func abandon(because error: SQLiteDatabaseError) -> [String] {
            isAbandoned = true
            try? keepLog(true)
            var lines = ["\(error)"]
            // To checkpoint a part of the log, or into a truncated file, would produce a state that never existed.
            guard let log, file.openSize >= file.size, log.openSize >= log.size else { return lines }
            switch (file.loss, log.loss) {
            // If opened together, the replacement and this log would form a damaged database. An empty log may belong
            // to the process that has the replacement open.
            case (.replaced, nil) where log.size > 0: lines.append(log.setAside())
            case (nil, .replaced): lines.append(log.setAside())
            default: break
            }
            do throws(SQLiteDatabaseError) { try execute("PRAGMA wal_checkpoint(FULL)") } catch {
                lines.append("\(error)")
            }
            return lines
        }

        var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

        /// Returns a statement, prepared on first use.
        func statement(_ sql: String) throws(SQLiteDatabaseError) -> Statement {
            if let statement = statements[sql] { return statement }
            var prepared: OpaquePointer?
            let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
            guard status == SQLITE_OK, let prepared else { throw error(status) }
            let statement = Statement(prepared) { [handle, path] in Self.error($0, of: handle, path) }
            statements[sql] = statement
            return statement
        }

        /// Runs SQL that is needed only once, without caching its statements.
        func execute(_ sql: String) throws(SQLiteDatabaseError) {
            let status = sqlite3_exec(handle, sql, nil, nil, nil)
            guard status == SQLITE_OK else { throw error(status) }
        }

        /// Returns the first column of a query's first row, as a number; nil without a row.
        func number(_ sql: String) throws(SQLiteDatabaseError) -> Int? {
            let statement = try statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : nil
        }

        /// Returns the first column of a query's first row, as a text; nil without a row.
        func text(_ sql: String) throws(SQLiteDatabaseError) -> String? {
            let statement = try statement(sql)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : nil
        }

        /// Runs `body` in a transaction: all of its changes take effect, or none.
        func transaction<R>(
            _ mode: String = "IMMEDIATE",
            _ body: () throws(SQLiteDatabaseError) -> R
        ) throws(SQLiteDatabaseError) -> R {
            try statement("BEGIN \(mode)").run()
            do {
                let result = try body()
                // Checks before the commit, while the transaction can still be rolled back.
                try checkFiles()
                try statement("COMMIT").run()
                if frames >= checkpointInterval { checkpoint() }
                return result
            } catch {
                // After some errors SQLite has already rolled back.
                if sqlite3_get_autocommit(handle) == 0 { try? statement("ROLLBACK").run() }
                throw error
            }
        }

        private func error(_ status: Int32) -> SQLiteDatabaseError { Self.error(status, of: handle, path) }

        /// Returns the error of a failed call of SQLite.
        ///
        /// Must be called immediately after the failure, since a later system call changes `errno`.
        private static func error(_ status: Int32, of handle: OpaquePointer, _ path: DatabasePath)
            -> SQLiteDatabaseError
        {
            // Reads `errno` first, since SQLite does not store the system's error for a failed commit.
            let system = errno
            let isOpening = status & 0xFF == SQLITE_CANTOPEN
            return SQLiteDatabaseError(sqlite: status, system: isOpening ? sqlite3_system_errno(handle) : system, path)
        }
    }
#else
    import Foundation

    /// The placeholder for a connection without SQLite: never created, as its property of type Never ensures.
    struct Connection {
        private let never: Never

        init(_ file: URL, fileSystem: String?, patience: TimeInterval) throws(SQLiteDatabaseError) {
            throw .unavailable
        }

        var isReadOnly: Bool { switch never {} }
        func header() throws(SQLiteDatabaseError) -> Data { switch never {} }
        func close() -> [String] { switch never {} }
        func keepLog(_ isKept: Bool) throws(SQLiteDatabaseError) { switch never {} }
        func watchLog(checkpointInterval: Int) throws(SQLiteDatabaseError) { switch never {} }
        func checkFiles() throws(SQLiteDatabaseError) { switch never {} }
        func abandon(because error: SQLiteDatabaseError) -> [String] { switch never {} }
        func statement(_ sql: String) throws(SQLiteDatabaseError) -> Statement { switch never {} }
        func execute(_ sql: String) throws(SQLiteDatabaseError) { switch never {} }
        func number(_ sql: String) throws(SQLiteDatabaseError) -> Int? { switch never {} }
        func text(_ sql: String) throws(SQLiteDatabaseError) -> String? { switch never {} }
        func transaction<R>(
            _ mode: String = "IMMEDIATE",
            _ body: () throws(SQLiteDatabaseError) -> R
        ) throws(SQLiteDatabaseError) -> R { switch never {} }
    }
#endif
