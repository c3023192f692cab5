/// An error of opening, writing or reading a database.
///
/// The failed operation has kept nothing, and the database works again as soon as the cause is gone: it never does
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
    /// A kind of error.
    ///
    /// An open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String
        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This module was built without SQLite.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Another process, or another database object of this one, has the file open.
        public static let inUse = Code(rawValue: "inUse")
        /// The file is no database of StoreSQLite.
        public static let foreign = Code(rawValue: "foreign")
        /// A newer version of StoreSQLite has written the file, or something in it: all of it is refused from then on,
        /// readable parts too.
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
        public static let damaged = Code(rawValue: "damaged")
        /// The file, or the log beside it, was deleted, moved, replaced or truncated while the database was open.
        ///
        /// Everything is refused from then on, until the file is opened again. A file that is missing or empty is not opened
        /// while there is still a log beside it.
        public static let fileLost = Code(rawValue: "fileLost")
        /// The database was closed.
        public static let closed = Code(rawValue: "closed")
        /// Another error of SQLite.
        public static let other = Code(rawValue: "other")

        /// Whether an error has this code, for `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? StoreDatabaseError)?.code == code }
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a developer's log.
    ///
    /// It names the file without its folders. Its wording is not stable.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    package static let unavailable = StoreDatabaseError(.unavailable, SQLite.advice)
}
