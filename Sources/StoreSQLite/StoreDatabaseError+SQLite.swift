#if canImport(CSQLite)
    import CSQLite
    import Foundation

    extension StoreDatabaseError {
        /// What keeps a file from being opened.
        init(sqlite status: Int32, system: Int32, _ file: URL) {
            let name = file.lastPathComponent
            let folder = file.deletingLastPathComponent()
            var isFolder: ObjCBool = false
            let files = FileManager.default
            if status & 0xFF == SQLITE_CANTOPEN {
                if !files.fileExists(atPath: folder.path(percentEncoded: false)) {
                    self.init(.missingFolder, "the folder \(folder.lastPathComponent), for \(name), is not there")
                    return
                }
                if files.fileExists(atPath: file.path(percentEncoded: false), isDirectory: &isFolder),
                    isFolder.boolValue
                {
                    self.init(.foreign, "\(name) is a folder, where a database should be")
                    return
                }
            }
            self.init(sqlite: status, system: system, name: name)
        }

        /// What SQLite says, and what the system had said to it.
        init(sqlite status: Int32, system: Int32, name: String) {
            let words = "SQLite says \"\(String(cString: sqlite3_errstr(status)))\" (\(status))"
            // A macro that Swift does not see.
            let readOnlyFolder = SQLITE_READONLY | 6 << 8
            switch status & 0xFF {
            case _ where status == readOnlyFolder,
                SQLITE_CANTOPEN where [EACCES, EPERM, EROFS].contains(system):
                self.init(.readOnly, "the folder of \(name) may not be written")
            case SQLITE_BUSY, SQLITE_LOCKED:
                self.init(.inUse, "\(name) is in use: another process has it open, or opened it here before")
            case SQLITE_FULL: self.init(.diskFull, "the disk with \(name) is full")
            case SQLITE_READONLY, SQLITE_PERM: self.init(.readOnly, "\(name) may not be written: \(words)")
            case SQLITE_IOERR, SQLITE_CANTOPEN:
                self.init(.inputOutput, "\(name) could not be read or written: \(words)")
            case SQLITE_CORRUPT: self.init(.damaged, "\(name) is damaged: \(words)")
            case SQLITE_NOTADB: self.init(.foreign, "\(name) is not a database")
            default: self.init(.other, "\(name): \(words)")
            }
        }
    }
#endif
