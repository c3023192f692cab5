import Foundation

/// An error in opening, writing or reading a PostgreSQL database.
///
/// The failed operation has changed nothing, or its result is unknown. In the second case, the store may later read the
/// record as if another store had written it, and recognizes its own commands in it. The database works again once the
/// cause is removed, except after ``Code/newer``, ``Code/recordsLost`` and ``Code/closed``.
public struct PostgresDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error; later versions may have more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String
        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This module was built without libpq.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The connection settings cannot be read.
        public static let settings = Code(rawValue: "settings")
        /// The server cannot be reached, is starting or stopping, or did not reply in time.
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
        /// A newer version of StoreCore has written the tables or some of their content.
        public static let newer = Code(rawValue: "newer")
        /// A record that other records depend on is missing or was changed.
        public static let damaged = Code(rawValue: "damaged")
        /// The server has lost records that this process knows, as after a failover to a standby that lagged.
        ///
        /// Every operation on the store is refused until it is reopened, because its state in memory differs from the
        /// ledger. Likewise, a journal whose opening's row is lost refuses every command.
        public static let recordsLost = Code(rawValue: "recordsLost")
        /// Another queue has opened the journal.
        public static let superseded = Code(rawValue: "superseded")
        /// The server's disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The database was closed.
        public static let closed = Code(rawValue: "closed")
        /// Another error of the server.
        public static let other = Code(rawValue: "other")

        /// Returns whether an error has this code, for `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PostgresDatabaseError)?.code == code }
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a developer's log.
    ///
    /// The sentence never contains a password. Its wording is not stable.
    public let description: String

    /// Whether the failed operation may have taken effect.
    let isInDoubt: Bool

    init(_ code: Code, _ description: String, isInDoubt: Bool = false) {
        self.code = code
        self.description = description
        self.isInDoubt = isInDoubt
    }

    /// The same error for an operation that may have taken effect.
    var inDoubt: PostgresDatabaseError { PostgresDatabaseError(code, description, isInDoubt: true) }

    package static let unavailable = PostgresDatabaseError(.unavailable, Postgres.advice)
}

#if canImport(CPostgres)
    import CPostgres

    extension PostgresDatabaseError {
        /// Creates the error for a failed statement.
        ///
        /// The description has only the server's primary message, since the detailed message may quote values.
        init(_ result: OpaquePointer?) {
            let state = Self.field("C", of: result) ?? ""
            self.init(
                Self.code(ofState: state),
                "the database refuses: \(Self.field("M", of: result) ?? "no reason given")"
            )
        }

        private static func field(_ name: Character, of result: OpaquePointer?) -> String? {
            PQresultErrorField(result, Int32(name.asciiValue ?? 0)).map { String(cString: $0) }
        }

        /// Returns the code for an SQLSTATE (PostgreSQL's documentation, appendix A).
        private static func code(ofState state: String) -> Code {
            switch state {
            case "42501": .permission
            case "25006": .readOnly
            case "42P01", "3F000": .missingTables
            // A table lacks a column.
            case "42703": .foreign
            case "53100": .diskFull
            // An operation that failed by a deadlock or a serialization failure is retried, as after a lost connection.
            case "40001", "40P01": .unreachable
            // The server is stopping or starting, or has no connection left.
            case "57P01", "57P02", "57P03", "57P05", "53300": .unreachable
            case _ where state.hasPrefix("08"): .unreachable
            case _ where state.hasPrefix("28"): .refused
            default: .other
            }
        }

        /// Creates the error for a connection that broke or was never established.
        init(brokenConnection connection: OpaquePointer?, _ settings: ConnectionSettings) {
            let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            // There is one line for each server that was tried; hints are indented. A line about an invalid setting may
            // quote part of a password that contains a character reserved in URLs.
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
                .map { $0.hasPrefix("invalid ") ? "a setting of the connection is invalid" : $0 }
            let line = lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
            let password = PQpass(connection).map { String(cString: $0) }
            self.init(Self.isRefusal(text) ? .refused : .unreachable, settings.withoutPasswords(line, and: password))
        }

        /// Returns whether the message of a failed connection says that the server refuses the role.
        ///
        /// libpq reports no SQLSTATE for a refused connection. The message depends on the server's language, so a
        /// refusal in a language other than English counts as unreachable.
        private static func isRefusal(_ text: String) -> Bool {
            [
                "authentication failed", "no pg_hba.conf entry", "does not exist", "no password supplied",
                "permission denied for database",
            ]
            .contains(where: text.contains)
        }
    }
#endif

/// The availability of libpq in this module.
public enum Postgres {
    /// Whether libpq's header was available when the module was built.
    ///
    /// Without it, opening a ``PostgresDatabase`` throws ``PostgresDatabaseError/Code/unavailable``.
    public static var isAvailable: Bool {
        #if canImport(CPostgres)
            true
        #else
            false
        #endif
    }

    /// One line of advice for a build in which ``isAvailable`` is false.
    package static let advice = "libpq's header is missing: run `apt install libpq-dev` and build again from scratch"
}
