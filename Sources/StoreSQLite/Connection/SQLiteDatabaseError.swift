import Foundation

/// An error in opening, writing or reading a database.
///
/// The failed operation has changed nothing, and the database works again once the cause is removed, except after
/// ``Code/newer``, ``Code/damaged``, ``Code/fileLost`` and ``Code/closed``.
///
/// ```swift
/// do {
///     try sell(on: SQLiteDatabase(at: file))
/// } catch SQLiteDatabaseError.Code.inUse {
///     print("Another till is open.")
/// }
/// ```
public struct SQLiteDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error; later versions may have more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String
        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This module was built without SQLite.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Another process, or another database object in this process, has the file open.
        public static let inUse = Code(rawValue: "inUse")
        /// The file is not a database of StoreSQLite.
        public static let foreign = Code(rawValue: "foreign")
        /// A newer version of StoreSQLite has written the file or a part of it.
        ///
        /// Its readable parts are refused too.
        public static let newer = Code(rawValue: "newer")
        /// The folder of the file does not exist, or is a file.
        public static let missingFolder = Code(rawValue: "missingFolder")
        /// The file, its log or their folder may not be written, or the folder may not be entered.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The disk or the user's quota is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The disk failed.
        public static let inputOutput = Code(rawValue: "inputOutput")
        /// The content of the file is inconsistent.
        ///
        /// Every later operation is refused, and the file is left unchanged. Restore a backup.
        public static let damaged = Code(rawValue: "damaged")
        /// The file or its log was deleted, moved, replaced or truncated while the database was open.
        ///
        /// Every later operation is refused until the file is opened again. A missing or empty file cannot be opened
        /// while its log exists.
        public static let fileLost = Code(rawValue: "fileLost")
        /// The database was closed.
        public static let closed = Code(rawValue: "closed")
        /// Another error of SQLite.
        public static let other = Code(rawValue: "other")

        /// Returns whether an error has this code, for `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? SQLiteDatabaseError)?.code == code }
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a developer's log.
    ///
    /// The sentence names the file without its folders. Its wording is not stable.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Creates the error for a damaged part of a file.
    init(damaged name: String, _ part: String) {
        self.init(.damaged, "\(name) is damaged: \(part). Nothing in it was changed: restore a backup")
    }

    package static let unavailable = SQLiteDatabaseError(.unavailable, SQLite.advice)
}

#if canImport(CSQLite)
    import CSQLite

    extension SQLiteDatabaseError {
        /// Creates the error for a status code of SQLite and the underlying system error.
        init(sqlite status: Int32, system: Int32, _ path: DatabasePath) {
            let name = path.name
            let words = "SQLite says \"\(String(cString: sqlite3_errstr(status)))\" (\(status))"
            // These codes are macros in C, which Swift does not import.
            let readOnlyFolder = SQLITE_READONLY | 6 << 8
            let shortRead = SQLITE_IOERR | 2 << 8
            switch status & 0xFF {
            case _ where status == readOnlyFolder: self.init(.readOnly, "the folder of \(name) may not be written")
            case SQLITE_CANTOPEN: self.init(opening: path, system: system)
            case SQLITE_BUSY, SQLITE_LOCKED:
                self.init(.inUse, "\(name) is in use: another process has it open, or opened it here before")
            case SQLITE_FULL: self.init(.diskFull, "the disk with \(name) is full")
            // After a short read, the system's error code belongs to an earlier call.
            case SQLITE_IOERR where status != shortRead && [ENOSPC, EDQUOT].contains(system):
                self.init(.diskFull, "the disk with \(name) is full")
            case SQLITE_IOERR where status != shortRead && system == EROFS:
                self.init(.readOnly, "\(name) may not be written: its file system can only be read")
            case SQLITE_READONLY, SQLITE_PERM: self.init(.readOnly, "\(name) may not be written: \(words)")
            case SQLITE_IOERR: self.init(.inputOutput, "\(name) could not be read or written: \(words)")
            case SQLITE_CORRUPT: self.init(damaged: name, "a page of it is corrupt, \(words)")
            case SQLITE_NOTADB: self.init(.foreign, "\(name) is not a database")
            default: self.init(.other, "\(name): \(words)")
            }
        }

        /// Creates the error for a database, or a file that belongs to it, that cannot be opened or created.
        ///
        /// If SQLite cannot create a file, it still tries to open it, so the system's error is `ENOENT` whatever the
        /// obstacle was.
        init(opening path: DatabasePath, system: Int32) {
            let name = path.name
            // The folder has no trailing slash: with one, the system would report a file in its place as missing.
            let end = path.file.lastIndex(of: "/") ?? path.file.startIndex
            let folder = end == path.file.startIndex ? "/" : String(path.file[..<end])
            let folderName = (folder as NSString).lastPathComponent
            if let obstacle = Self.obstacle(at: path) {
                self = obstacle
                return
            }
            var found = stat()
            switch system {
            case ENOENT, ENOTDIR:
                if stat(folder, &found) != 0 {
                    self.init(.missingFolder, "the folder \(folderName), for \(name), is not there")
                } else if found.st_mode & S_IFMT != S_IFDIR {
                    self.init(.missingFolder, "\(folderName), where \(name) should be, is not a folder")
                } else if Self.isFull(folder) {
                    self.init(.diskFull, "the disk with \(name) is full")
                } else {
                    self.init(.readOnly, "the folder of \(name) may not be written")
                }
            case EACCES, EPERM, EROFS:
                let isClosed = lstat(path.file, &found) != 0 && errno == EACCES
                self.init(.readOnly, "the folder of \(name) may not be \(isClosed ? "entered" : "written")")
            case ENOSPC, EDQUOT: self.init(.diskFull, "the disk with \(name) is full")
            case ENAMETOOLONG, ELOOP:
                self.init(.other, "\(name) cannot be opened: \(String(cString: strerror(system)))")
            default: self.init(.inputOutput, "\(name) could not be opened: \(String(cString: strerror(system)))")
            }
        }

        /// Returns the error for an existing file that cannot be both read and written.
        static func obstacle(at path: DatabasePath) -> SQLiteDatabaseError? {
            for (suffix, part) in [("", "database"), ("-journal", "database's journal"), ("-wal", "database's log")] {
                var found = stat()
                guard stat(path.file + suffix, &found) == 0 else { continue }
                let name = path.name + suffix
                switch found.st_mode & S_IFMT {
                case S_IFDIR: return SQLiteDatabaseError(.foreign, "\(name) is a folder, where a \(part) should be")
                case S_IFREG: break
                default: return SQLiteDatabaseError(.foreign, "\(name) is not a file, where a \(part) should be")
                }
                for (permission, act) in [(R_OK, "read"), (W_OK, "written")]
                where faccessat(AT_FDCWD, path.file + suffix, permission, AT_EACCESS) != 0 && errno != ENOENT {
                    return SQLiteDatabaseError(.readOnly, "\(name) may not be \(act)")
                }
            }
            return nil
        }

        /// Returns whether the disk has no space for another file.
        private static func isFull(_ folder: String) -> Bool {
            var disk = statvfs()
            guard statvfs(folder, &disk) == 0 else { return false }
            return disk.f_bavail == 0 && disk.f_blocks > 0 || disk.f_favail == 0 && disk.f_files > 0
        }
    }
#endif

/// The availability of SQLite in this module.
public enum SQLite {
    /// Whether SQLite's header was available when the module was built.
    ///
    /// Without it, opening a ``SQLiteDatabase`` throws ``SQLiteDatabaseError/Code/unavailable``.
    public static var isAvailable: Bool {
        #if canImport(CSQLite)
            true
        #else
            false
        #endif
    }

    /// One line of advice for a build in which ``isAvailable`` is false.
    package static let advice =
        "SQLite's header is missing: run `apt install libsqlite3-dev` and build again from scratch"
}
