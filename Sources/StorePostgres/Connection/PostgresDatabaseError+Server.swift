#if canImport(CPostgres)
    import CPostgres
    import Foundation

    extension PostgresDatabaseError {
        /// Creates the error of a failed statement.
        ///
        /// Only the server's primary message is shown: its detail may quote values.
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
            // A column is missing.
            case "42703": .foreign
            case "53100": .diskFull
            // Deadlocks and serialization failures: to be repeated, as after a lost connection.
            case "40001", "40P01": .unreachable
            // The server stops, starts or has no connection left.
            case "57P01", "57P02", "57P03", "57P05", "53300": .unreachable
            case _ where state.hasPrefix("08"): .unreachable
            case _ where state.hasPrefix("28"): .refused
            default: .other
            }
        }

        /// Creates the error of a connection that broke or was never made.
        init(brokenConnection connection: OpaquePointer?, _ settings: ConnectionSettings) {
            let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            // A line for each server that was tried; hints are indented.
            // One about a setting may quote what was taken for it: a part of a password with a sign that a URL reserves.
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
                .map { $0.hasPrefix("invalid ") ? "a setting of the connection is invalid" : $0 }
            let line = lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
            let password = PQpass(connection).map { String(cString: $0) }
            self.init(Self.isRefusal(text) ? .refused : .unreachable, settings.withoutPasswords(line, and: password))
        }

        /// Whether the server answered and said no.
        ///
        /// A refused connection has no SQLSTATE in libpq's interface, and its text depends on the server's language only
        /// behind `FATAL`.
        private static func isRefusal(_ text: String) -> Bool {
            [
                "authentication failed", "no pg_hba.conf entry", "does not exist", "no password supplied",
                "permission denied for database",
            ]
            .contains(where: text.contains)
        }
    }
#endif
