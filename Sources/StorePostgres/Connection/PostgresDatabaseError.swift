/// An error of opening, writing or reading a PostgreSQL database.
///
/// The failed operation has kept nothing, or cannot know: then the store meets the record later, as another store's,
/// and recognizes the commands that it took with it. The database works again as soon as the cause is gone; it never
/// does after ``Code/newer``, ``Code/recordsLost`` and ``Code/closed``.
public struct PostgresDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error.
    ///
    /// An open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String
        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This module was built without libpq.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The connection settings cannot be read.
        public static let settings = Code(rawValue: "settings")
        /// The server cannot be reached, is starting or stopping, or did not answer in time.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server refuses the role: its password is wrong, or it may not connect.
        public static let refused = Code(rawValue: "refused")
        /// The role lacks a right on StoreCore's tables.
        public static let permission = Code(rawValue: "permission")
        /// The server is a standby, or is set to read only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// StoreCore's tables are missing, and the role may not create them.
        public static let missingTables = Code(rawValue: "missingTables")
        /// The schema has tables that are not StoreCore's.
        public static let foreign = Code(rawValue: "foreign")
        /// A newer version of StoreCore has written the tables, or something in them.
        public static let newer = Code(rawValue: "newer")
        /// A record on which others count is missing or was changed.
        public static let damaged = Code(rawValue: "damaged")
        /// The server has lost records that were read or written before, as after a failover to a standby that lagged.
        ///
        /// Everything of that store is refused until it is opened again: what it holds in memory is not the ledger's. So is
        /// every command of a journal whose opening is lost.
        public static let recordsLost = Code(rawValue: "recordsLost")
        /// Another queue has opened the journal.
        public static let superseded = Code(rawValue: "superseded")
        /// The server's disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The database was closed.
        public static let closed = Code(rawValue: "closed")
        /// Another error of the server.
        public static let other = Code(rawValue: "other")

        /// Whether an error has this code, for `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PostgresDatabaseError)?.code == code }
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a developer's log.
    ///
    /// It never holds a password. Its wording is not stable.
    public let description: String

    /// Whether what failed may have been done all the same.
    let isInDoubt: Bool

    init(_ code: Code, _ description: String, isInDoubt: Bool = false) {
        self.code = code
        self.description = description
        self.isInDoubt = isInDoubt
    }

    /// The same error of something that may have been done.
    var inDoubt: PostgresDatabaseError { PostgresDatabaseError(code, description, isInDoubt: true) }

    package static let unavailable = PostgresDatabaseError(.unavailable, Postgres.advice)
}
