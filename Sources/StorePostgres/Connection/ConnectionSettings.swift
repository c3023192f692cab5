#if canImport(CPostgres)
    import CPostgres
    import Foundation

    /// The settings of a connection in libpq's own form: a string of keywords and values, or a `postgresql://` URL.
    ///
    /// What it does not name comes from the environment, a service file and a password file, as libpq has it.
    struct ConnectionSettings: Sendable {
        private let text: String
        /// The passwords that the text names.
        private let secrets: [String]
        /// Whether something else may set how long a connection may take.
        private let hasTimeout: Bool

        /// Reads settings.
        ///
        /// - Throws: an error without libpq's message, which may quote a part of a password.
        init(_ text: String) throws(PostgresDatabaseError) {
            self.text = text
            guard let options = PQconninfoParse(text, nil) else {
                throw PostgresDatabaseError(
                    .settings,
                    "the connection settings are neither keywords with values, as in host=db dbname=shop, nor a postgresql:// URL"
                )
            }
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option += 1
            }
            secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
            let environment = ProcessInfo.processInfo.environment
            hasTimeout =
                values["connect_timeout"] != nil || values["service"] != nil || environment["PGCONNECT_TIMEOUT"] != nil
                || environment["PGSERVICE"] != nil
        }

        /// Returns a line with each password replaced.
        func withoutPasswords(_ line: String, and password: String?) -> String {
            let all = secrets + [password, ProcessInfo.processInfo.environment["PGPASSWORD"]].compactMap(\.self)
            return all.filter { !$0.isEmpty }.reduce(line) { $0.replacingOccurrences(of: $1, with: "…") }
        }

        /// Opens a connection, which may be a failed one.
        ///
        /// Each server has at least 2 seconds to accept it, or the given time, unless the settings name another.
        func connect(timeout: TimeInterval) -> OpaquePointer? {
            // Earlier entries are defaults of the text's.
            let defaults = hasTimeout ? [] : [("connect_timeout", String(Int(max(2, timeout.rounded(.up)))))]
            let entries =
                defaults + [("dbname", text), ("fallback_application_name", "StoreCore"), ("client_encoding", "UTF8")]
            let words = entries.map { (strdup($0.0), strdup($0.1)) }
            defer {
                for (keyword, value) in words {
                    free(keyword)
                    free(value)
                }
            }
            let keywords = words.map { UnsafePointer($0.0) } + [nil]
            let values = words.map { UnsafePointer($0.1) } + [nil]
            return PQconnectdbParams(keywords, values, 1)
        }
    }
#endif
