import Foundation

#if canImport(CPostgres)
    import CPostgres

    /// The settings of a connection in libpq's form: a string of keywords and values, or a `postgresql://` URL.
    ///
    /// As in libpq, settings that the text does not name come from the environment, a service file and a password file.
    struct ConnectionSettings: Sendable {
        private let text: String
        /// The passwords in the text, the environment and the service file.
        private let secrets: [String]
        /// The file with a password for each server.
        private let passwordFile: PasswordFile?
        /// Whether the settings, including those of the environment, specify a connection timeout.
        private let hasTimeout: Bool

        /// Parses settings.
        ///
        /// - Throws: an error without libpq's message, which may quote part of a password.
        init(_ text: String) throws(PostgresDatabaseError) {
            // Has an effect only before libpq first uses libcrypto.
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

        /// Returns all settings, including those of the environment and of a service file.
        ///
        /// Only a connection knows all settings, so the method begins to connect to a socket that does not exist.
        private static func resolved(_ text: String) -> [String: String] {
            // One host and one port replace those in the text: if their counts differ, libpq does not read the other
            // settings.
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

        /// Returns a line with every known password replaced, including `password`, the password of the last server.
        ///
        /// The other known passwords matter too: a connection knows only the last server's password, and the password
        /// file may have changed since.
        func withoutPasswords(_ line: String, and password: String?) -> String {
            let all = secrets + (passwordFile?.passwords ?? []) + [password].compactMap(\.self)
            // Replaces the longest password first, since a shorter one may be a prefix of it.
            return all.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.reduce(line) {
                $0.replacingOccurrences(of: $1, with: "…")
            }
        }

        /// Opens a connection, whose status the caller has to check.
        ///
        /// Unless the settings specify a timeout, each server has `timeout` seconds to accept, but at least 2.
        func connect(timeout: TimeInterval) -> OpaquePointer? {
            // libpq expands `dbname`, which is the connection string here. Its settings override the entries before it.
            let defaults =
                hasTimeout ? [] : [("connect_timeout", String(Int(min(max(2, timeout.rounded(.up)), 1_000_000))))]
            let entries =
                defaults + [("dbname", text), ("fallback_application_name", "StoreCore"), ("client_encoding", "UTF8")]
            return Self.withArrays(entries) { PQconnectdbParams($0, $1, 1) }
        }

        /// Calls a body with the keywords and the values of settings, as libpq expects them.
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
#else
    /// The placeholder for settings without libpq: never created, as its property of type Never ensures.
    struct ConnectionSettings: Sendable {
        private let never: Never

        init(_ text: String) throws(PostgresDatabaseError) { throw .unavailable }
    }
#endif

/// libpq's password file.
///
/// Each line has a host, port, database, role and password, separated by colons.
struct PasswordFile {
    let path: String
    let database: String
    let role: String

    /// Returns the passwords of the role for the database, on any server; none if there is no file.
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

    /// Returns the fields of a line, in which a backslash escapes a colon or another backslash.
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

/// The exit handler in which libcrypto frees its memory; libpq uses libcrypto for passwords and TLS.
package enum LibcryptoCleanup {
    /// Prevents libcrypto from registering its exit handler.
    ///
    /// With the handler, a thread that connects or reads while the process exits would access freed memory and crash,
    /// and to wait for such a thread may take seconds. Only a call before the first use of libcrypto has an effect.
    package static func disable() { _ = isDisabled }

    private static let isDisabled: Bool = {
        // A libpq without TLS does not load libcrypto.
        guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return false }
        typealias Initialize = @convention(c) (_ options: UInt64, _ settings: UnsafeRawPointer?) -> Int32
        let noExitHandler: UInt64 = 0x0008_0000
        return unsafeBitCast(symbol, to: Initialize.self)(noExitHandler, nil) == 1
    }()
}

/// The pauses between attempts to connect, which double from 50 milliseconds to at most 5 seconds.
struct ReconnectPolicy: Sendable {
    private static let first: TimeInterval = 0.05
    private static let last: TimeInterval = 5

    private var failures = 0

    /// Returns the pause after a failed attempt, in seconds; the next pause is longer.
    mutating func pauseAfterFailure() -> TimeInterval {
        defer { failures += 1 }
        return min(Self.last, Self.first * pow(2, Double(min(failures, 16))))
    }

    /// Begins again with the shortest pause, after a successful attempt.
    mutating func succeeded() { failures = 0 }
}
