#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// A file that SQLite has open, with a check whether it is still the file at its path.
    ///
    /// SQLite itself continues to write to a file that was deleted or replaced, and does not notice that a file was
    /// truncated.
    struct OpenFile {
        /// The kind of loss of a file.
        enum Loss { case removed, replaced, truncated }

        let name: String
        private let path: String
        let handle: UnsafeMutablePointer<sqlite3_file>
        private let device: dev_t
        private let inode: ino_t
        /// The minimum length of the file after the last commit.
        ///
        /// A shorter file counts as lost, unless SQLite itself has truncated it.
        var size: Int64

        init(
            _ name: String,
            at path: String,
            _ handle: UnsafeMutablePointer<sqlite3_file>
        ) throws(SQLiteDatabaseError) {
            var found = stat()
            guard lstat(path, &found) == 0 else { throw SQLiteDatabaseError(name, .removed) }
            (self.name, self.path, self.handle) = (name, path, handle)
            (device, inode, size) = (found.st_dev, found.st_ino, 0)
        }

        /// The loss of the file, as far as its path shows; nil if there is none, or if the system does not permit the
        /// check.
        var loss: Loss? {
            var found = stat()
            // `lstat` follows no link, since SQLite looks for the log next to the link's target.
            guard lstat(path, &found) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .removed : nil }
            if found.st_ino != inode || found.st_dev != device { return .replaced }
            return Int64(found.st_size) < size ? .truncated : nil
        }

        /// The length of the open file, even if it was moved or deleted.
        var openSize: Int64 {
            var size: sqlite3_int64 = 0
            guard handle.pointee.pMethods?.pointee.xFileSize(handle, &size) == SQLITE_OK else { return self.size }
            return size
        }

        /// Renames the file at the path, without replacing another file, to prevent a database from opening it.
        ///
        /// - Returns: a line for the log.
        func setAside() -> String {
            // Skips names that are taken: a file that was set aside earlier may be the only record of other sales.
            for number in 1...100 {
                let suffix = number == 1 ? "-set-aside" : "-set-aside-\(number)"
                // Unlike `rename`, `link` does not replace another file.
                guard link(path, path + suffix) != 0 || unlink(path) != 0 else {
                    return "\(name), which is not the log of the file beside it, is now \(name)\(suffix)"
                }
                if errno != EEXIST { break }
            }
            return "\(name), which is not its file's, cannot be renamed"
        }
    }

    extension SQLiteDatabaseError {
        /// Creates the error for the loss of a file while it was open.
        init(_ name: String, _ loss: OpenFile.Loss) {
            let what =
                switch loss {
                case .removed: "deleted or moved"
                case .replaced: "replaced by another file"
                case .truncated: "truncated"
                }
            self.init(.fileLost, "\(name) was \(what) while the database was open: nothing is read or written any more")
        }
    }
#endif
