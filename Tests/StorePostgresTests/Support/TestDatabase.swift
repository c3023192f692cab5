#if canImport(CPostgres)
    import CPostgres
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres

    /// A schema of a test's own, in the cluster of all tests.
    final class TestDatabase: Sendable {
        let cluster: PostgresCluster
        let schema: String
        let log = LineLog()

        /// The cluster that the tests of this process share: each has a schema of its own.
        private static let shared = Result {
            try PostgresCluster(settings: ["fsync": "off", "synchronous_commit": "on"])
        }

        convenience init() throws { self.init(try Self.shared.get()) }

        init(_ cluster: PostgresCluster, schema: String = "test_\(UInt32.random(in: .min ... .max))") {
            self.cluster = cluster
            self.schema = schema
        }

        /// Opens the database as another process would.
        func open(
            _ settings: String? = nil,
            _ change: (inout PostgresDatabase.Options) -> Void = { _ in }
        ) throws -> PostgresDatabase {
            var options = PostgresDatabase.Options()
            options.schema = schema
            // A server that a busy machine holds up is not lost, unless a test is about that.
            options.responseTime = 60
            change(&options)
            return try PostgresDatabase(settings ?? cluster.settings, options: options, log: log.log)
        }

        /// Runs statements as the database's owner, with `{schema}` for the test's schema.
        @discardableResult
        func run(_ sql: String) throws -> [[String?]] {
            let connection = PQconnectdb(cluster.settings)
            defer { PQfinish(connection) }
            let result = PQexec(connection, sql.replacingOccurrences(of: "{schema}", with: schema))
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw SQLFailure(text: String(cString: PQresultErrorMessage(result)))
            }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
                }
            }
        }

        /// Runs statements of PL/pgSQL before the first record that is inserted, and never again.
        func spoilFirstInsert(_ statements: String) throws {
            try run("CREATE SEQUENCE {schema}.spoiled")
            try run(
                """
                CREATE FUNCTION {schema}.spoil() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                    IF nextval('{schema}.spoiled') = 1 THEN \(statements); END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER spoil BEFORE INSERT ON {schema}.record FOR EACH ROW EXECUTE FUNCTION {schema}.spoil();
                """
            )
        }

        struct SQLFailure: Error { let text: String }
    }

    /// A log that keeps its lines, and does something when one comes that is waited for.
    final class LineLog: Sendable {
        private let kept = Locked<[String]>([])
        private let actions = Locked<[(words: String, body: @Sendable () -> Void)]>([])

        var lines: [String] { kept.withLock { $0 } }

        /// Calls a body once, when the next line with some words comes.
        func once(_ words: String, _ body: @escaping @Sendable () -> Void) {
            actions.withLock { $0.append((words, body)) }
        }

        var log: StoreLog {
            StoreLog { [kept, actions] line in
                kept.withLock { $0.append(line) }
                let due = actions.withLock { actions in
                    defer { actions.removeAll { line.contains($0.words) } }
                    return actions.filter { line.contains($0.words) }
                }
                for action in due { action.body() }
            }
        }
    }
#endif
