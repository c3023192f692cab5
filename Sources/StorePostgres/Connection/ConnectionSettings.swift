import Foundation

#if canImport(CPostgres)
    import CPostgres

    /// The settings of a connection in libpq's own form: a string of keywords and values, or a `postgresql://` URL.
    ///
    /// What it does not name comes from the environment, a service file and a password file, as libpq has it.
    struct ConnectionSettings: Sendable {
        private let text: String
        /// The passwords in the text, the environment and the service file.
        private let secrets: [String]
        /// The file that has a password for each server.
        private let passwordFile: PasswordFile?
        /// Whether something else may set how long a connection may take.
        private let hasTimeout: Bool

        /// Reads settings.
        ///
        /// - Throws: an error without libpq's message, which may quote a part of a password.
        init(_ text: String) throws(PostgresDatabaseError) {
            // Before libpq uses it.
            LibcryptoCleanup.disable()
            self.text = text
            guard let options = PQconninfoParse(text, nil) else {
                throw PostgresDatabaseError(
                    .settings,
                    "the connection settings are neither keywords with values, as in host=db dbname=shop, nor a postgresql:// URL"
                )
            }
            PQconninfoFree(options)
            let values = Self.resolved(text)
            secrets = ["password", "sslpassword"].compactMap { values[$0] }
            if let path = values["passfile"], let database = values["dbname"], let role = values["user"] {
                passwordFile = PasswordFile(path: path, database: database, role: role)
            } else {
                passwordFile = nil
            }
            hasTimeout = values["connect_timeout"] != nil
        }

        /// Returns all settings, with those of the environment and of a service file.
        ///
        /// Only a connection knows them; this one is to a socket that does not exist.
        private static func resolved(_ text: String) -> [String: String] {
            // One host and one port, whatever the text names: where their numbers differ, libpq looks up nothing else.
            let nowhere = [("dbname", text), ("hostaddr", ""), ("host", "/"), ("port", "5432")]
            let probe = withArrays(nowhere) { PQconnectStartParams($0, $1, 1) }
            defer { PQfinish(probe) }
            let options = PQconninfo(probe)
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            while let keyword = option?.pointee.keyword {
                if let value = option?.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option = option?.successor()
            }
            return values
        }

        /// Returns a line with each password replaced, that of the last server as well.
        ///
        /// A connection names only the last server's password, and the file may have changed since.
        func withoutPasswords(_ line: String, and password: String?) -> String {
            let all = secrets + (passwordFile?.passwords ?? []) + [password].compactMap(\.self)
            // The longest first: another may begin like it.
            return all.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.reduce(line) {
                $0.replacingOccurrences(of: $1, with: "…")
            }
        }

        /// Opens a connection, which may be a failed one.
        ///
        /// Each server has at least 2 seconds to accept it, or the given time, unless the settings name another.
        func connect(timeout: TimeInterval) -> OpaquePointer? {
            // Earlier entries are defaults of the text's.
            let defaults =
                hasTimeout ? [] : [("connect_timeout", String(Int(min(max(2, timeout.rounded(.up)), 1_000_000))))]
            let entries =
                defaults + [("dbname", text), ("fallback_application_name", "StoreCore"), ("client_encoding", "UTF8")]
            return Self.withArrays(entries) { PQconnectdbParams($0, $1, 1) }
        }

        /// Calls a body with the keywords and the values of settings as libpq takes them.
        private static func withArrays<R>(
            _ entries: [(keyword: String, value: String)],
            _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> R
        ) -> R {
            let keywords = entries.map { strdup($0.keyword) } + [nil]
            let values = entries.map { strdup($0.value) } + [nil]
            defer { for word in keywords + values { free(word) } }
            return body(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
        }
    }
#endif

#if canImport(CPostgres)
    /// libpq's password file: a line has host, port, database, role and password, separated by colons.
    struct PasswordFile {
        let path: String
        let database: String
        let role: String

        /// Returns the passwords of the role for the database, on whatever server; none where there is no file.
        var passwords: [String] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
            return text.split(whereSeparator: \.isNewline).compactMap { line in
                let fields = Self.fields(line)
                guard fields.count >= 5, ["*", database].contains(fields[2]), ["*", role].contains(fields[3]) else {
                    return nil
                }
                return fields[4]
            }
        }

        /// Returns the fields of a line, in which a backslash goes before a colon or a backslash that separates nothing.
        private static func fields(_ line: Substring) -> [String] {
            var fields = [""]
            var characters = line.makeIterator()
            while let character = characters.next() {
                switch character {
                case ":": fields.append("")
                case "\\": fields[fields.count - 1].append(characters.next() ?? "\\")
                default: fields[fields.count - 1].append(character)
                }
            }
            return fields
        }
    }
#endif

/// The exit handler in which libcrypto, which libpq uses for passwords and TLS, frees what it has.
package enum LibcryptoCleanup {
    /// Has libcrypto register no exit handler.
    ///
    /// A thread that connects or reads while the process exits would go on in what was freed, and crash it. To wait for
    /// such a thread may take seconds. The first use of libcrypto in a process decides: later calls change nothing.
    package static func disable() { _ = isDisabled }

    private static let isDisabled: Bool = {
        // A libpq without TLS does not bring the library.
        guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return false }
        typealias Initialize = @convention(c) (_ options: UInt64, _ settings: UnsafeRawPointer?) -> Int32
        let noExitHandler: UInt64 = 0x0008_0000
        return unsafeBitCast(symbol, to: Initialize.self)(noExitHandler, nil) == 1
    }()
}

/// The pauses between attempts to connect: each twice the one before, from 50 milliseconds to 5 seconds.
struct ReconnectPolicy: Sendable {
    private static let first: TimeInterval = 0.05
    private static let last: TimeInterval = 5

    private var failures = 0

    /// The pause after a failed attempt, in seconds.
    mutating func pauseAfterFailure() -> TimeInterval {
        defer { failures += 1 }
        return min(Self.last, Self.first * pow(2, Double(min(failures, 16))))
    }

    /// Begins with the shortest pause again.
    mutating func succeeded() { failures = 0 }
}
