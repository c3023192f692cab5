/// Why a database could not be opened, written or read.
///
/// Nothing of what failed has been kept, and the database goes on working as soon as the cause has gone: it never does
/// after ``Code/newer``, ``Code/fileLost`` and ``Code/closed``.
///
/// ```swift
/// do {
///     try sell(on: StoreDatabase(at: file))
/// } catch StoreDatabaseError.Code.inUse {
///     print("Another till is open.")
/// }
/// ```
public struct StoreDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    ///
    /// An open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for it.
        public let rawValue: String
        /// Any code by its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This module was built without SQLite.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Another process, or another database object of this one, has the file open.
        public static let inUse = Code(rawValue: "inUse")
        /// The file is no database of StoreSQLite's.
        public static let foreign = Code(rawValue: "foreign")
        /// A newer version of StoreSQLite has written the file, or something in it: all of it is refused from then on, what
        /// this version could read too.
        public static let newer = Code(rawValue: "newer")
        /// The folder that the file should be in is not there, or is a file.
        public static let missingFolder = Code(rawValue: "missingFolder")
        /// The file, its log or their folder may not be written, or the folder may not be entered.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The disk, or what the user may have of it, is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The disk did not do what it was asked.
        public static let inputOutput = Code(rawValue: "inputOutput")
        /// What is in the file does not fit together.
        public static let damaged = Code(rawValue: "damaged")
        /// The file, or the log beside it, was deleted, moved, replaced or truncated while the database was open.
        ///
        /// Everything is refused from then on, until the file is opened again. A file that is missing or empty is not opened
        /// while there is still a log beside it.
        public static let fileLost = Code(rawValue: "fileLost")
        /// The database was closed.
        public static let closed = Code(rawValue: "closed")
        /// Something else that SQLite says.
        public static let other = Code(rawValue: "other")

        /// Whether an error has this code, for `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? StoreDatabaseError)?.code == code }
    }

    /// What kind of trouble it is.
    public let code: Code
    /// One sentence, for a developer's log.
    ///
    /// It names the file without its folders. Its wording is not stable.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    package static let unavailable = StoreDatabaseError(.unavailable, SQLite.advice)
}
