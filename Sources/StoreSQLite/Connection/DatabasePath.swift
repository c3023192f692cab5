#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// The location of a database: a file, and the names that SQLite derives from it.
    struct DatabasePath {
        /// The file's name, without its folders, for messages.
        let name: String
        /// The file's absolute path, without symbolic links, as SQLite opens it.
        let file: String
        /// The name of the SQLite VFS that accesses the file; nil for the default one.
        let fileSystem: String?

        /// The path of the write-ahead log.
        var log: String { "\(file)-wal" }
        var logName: String { "\(name)-wal" }

        init(_ url: URL, fileSystem: String?) throws(SQLiteDatabaseError) {
            let name = url.lastPathComponent
            let path = url.path(percentEncoded: false)
            // SQLite would treat an empty name as a temporary database, and would end the name at its first zero byte.
            guard url.isFileURL else {
                throw SQLiteDatabaseError(.other, "\"\(name)\" cannot be opened: its URL is no file's")
            }
            guard !path.utf8.contains(0) else {
                throw SQLiteDatabaseError(.other, "\"\(name)\" cannot be opened: there is a zero byte in its path")
            }
            guard let files = sqlite3_vfs_find(fileSystem) else {
                throw SQLiteDatabaseError(.other, "\(name) cannot be opened: SQLite has no such file system")
            }
            var full = [CChar](repeating: 0, count: Int(files.pointee.mxPathname) + 1)
            errno = 0
            let status = files.pointee.xFullPathname(files, path, Int32(full.count), &full)
            let system = errno
            self.name = name
            self.fileSystem = fileSystem
            // SQLite appends "-journal" to the path.
            let isTooLong = max(Int(strlen(full)), path.utf8.count) + 8 > Int(files.pointee.mxPathname)
            // The upper bits of the status indicate that the path contains a symbolic link.
            guard status & 0xFF == SQLITE_OK, !isTooLong else {
                file = path
                // If links form a loop, SQLite stops without a system error.
                let reason = isTooLong ? ENAMETOOLONG : system == 0 ? ELOOP : system
                throw SQLiteDatabaseError(opening: self, system: reason)
            }
            file = full.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } } ?? path
        }

        /// Creates the file if there is none; only its owner can read and write it.
        ///
        /// SQLite itself would create the file with the mode 0644, less the umask. SQLite's other files get the mode of
        /// this file.
        func create() throws(SQLiteDatabaseError) {
            if let obstacle = SQLiteDatabaseError.obstacle(at: self) { throw obstacle }
            // Reads the log's size before the file's: a process that is creating both at the moment writes the file
            // first.
            let isLogLeft = Self.size(of: log) ?? 0 > 0
            let size = Self.size(of: file)
            if isLogLeft, size ?? 0 == 0 {
                // If SQLite opened the file, it would delete the log, which is all that remains of the last changes.
                let advice = "put the file back, or remove the log too"
                throw SQLiteDatabaseError(
                    .fileLost,
                    "\(name) is missing or empty, but its log \(logName) is not: \(advice)"
                )
            }
            if size != nil { return }
            // Does not use `open`: closing its descriptor would release locks that another thread may have taken on the
            // file by then.
            guard mknod(file, S_IFREG | 0o600, 0) == 0 else {
                // Another process may have created the file in the meantime.
                if errno == EEXIST { return }
                throw SQLiteDatabaseError(opening: self, system: errno)
            }
            // The umask may have removed the owner's own permissions.
            chmod(file, 0o600)
        }

        /// Returns the size of a file; nil if there is no file.
        private static func size(of path: String) -> Int64? {
            var found = stat()
            return stat(path, &found) == 0 ? Int64(found.st_size) : nil
        }
    }
#endif
