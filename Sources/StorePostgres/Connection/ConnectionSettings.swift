#if canImport(CPostgres)
    import CPostgres
    import Foundation

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
