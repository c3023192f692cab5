#if canImport(CPostgres)
    import Foundation

    /// The names of StoreCore's tables and channels in a schema.
    struct Tables: Sendable {
        /// The schema's name as it was given.
        let schemaName: String
        /// The schema's name as an identifier in SQL.
        let schema: String

        let migration: String
        let store: String
        let record: String
        let snapshot: String
        let journal: String
        let opening: String
        let command: String
        let forgotten: String

        init(schema name: String) {
            let schema = Self.quoted(name)
            schemaName = name
            self.schema = schema
            migration = "\(schema).migration"
            store = "\(schema).store"
            record = "\(schema).record"
            snapshot = "\(schema).snapshot"
            journal = "\(schema).journal"
            opening = "\(schema).opening"
            command = "\(schema).command"
            forgotten = "\(schema).forgotten"
        }

        /// Returns the channel on which a store's or a journal's changes are announced.
        func channel(_ kind: Channel.Kind, _ number: Int) -> Channel {
            Channel(kind: kind, schema: schemaName, number: number)
        }

        /// Returns a name as an identifier in SQL.
        static func quoted(_ name: String) -> String {
            "\"\(doubling("\"", in: name))\""
        }

        /// Returns a text as a literal in SQL.
        static func literal(_ text: String) -> String {
            "'\(doubling("'", in: text))'"
        }

        /// Returns a text with each of its marks twice, also one that an accent follows.
        private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
            if !text.unicodeScalars.contains(mark) { return text }
            var scalars = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                if scalar == mark { scalars.append(mark) }
                scalars.append(scalar)
            }
            return String(scalars)
        }
    }

    /// A channel of `LISTEN` and `NOTIFY`.
    struct Channel: Hashable, Sendable {
        enum Kind: String { case store, journal }

        /// At most 63 bytes, which PostgreSQL allows: a long schema is told by its hash.
        let name: String

        init(name: String) { self.name = name }

        init(kind: Kind, schema: String, number: Int) {
            let suffix = "_\(kind.rawValue)_\(number)"
            let prefix = "storecore_\(schema)"
            name =
                prefix.utf8.count + suffix.utf8.count <= 63
                ? prefix + suffix : "storecore_\(Self.hash(schema))\(suffix)"
        }

        /// Returns the FNV-1a hash of a name, which is the same in every process.
        private static func hash(_ name: String) -> String {
            String(
                name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 },
                radix: 16
            )
        }
    }
#endif
