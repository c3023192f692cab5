#if canImport(CSQLite)
    import Foundation

    /// A check of a file's header before SQLite opens it: SQLite would clean up in a database that is not
    /// StoreSQLite's.
    enum DatabaseFile {
        /// "StCR": the application ID in the header of StoreSQLite's files.
        static let applicationID = 0x5374_4352

        /// Refuses a file that another program wrote, or a newer version of this one.
        ///
        /// A file without bytes is still to be created.
        static func check(header: Data, newest: Int, _ name: String) throws(StoreDatabaseError) {
            if header.isEmpty { return }
            guard header.starts(with: "SQLite format 3\0".utf8) else {
                throw StoreDatabaseError(.foreign, "\(name) is not a database")
            }
            try check(applicationID: number(in: header, at: 68), version: number(in: header, at: 60), newest, name)
        }

        static func check(
            applicationID: Int,
            version: Int,
            _ newest: Int,
            _ name: String
        ) throws(StoreDatabaseError) {
            guard applicationID == Self.applicationID else {
                throw StoreDatabaseError(.foreign, "\(name) is another program's database")
            }
            guard version <= newest else {
                let sentence =
                    "\(name) was written by a newer version: it has format \(version), known here are 1 to \(newest)"
                throw StoreDatabaseError(.newer, sentence)
            }
        }

        private static func number(in header: Data, at offset: Int) -> Int {
            header.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
    }
#endif
