#if canImport(CPostgres)
    import CPostgres
    import Foundation
    import PostgresCluster

    /// A connection of libpq's alone to a server of the benchmark's own, on whose disk each commit is.
    final class PlainPostgres: @unchecked Sendable {  // unchecked: used by one thread at a time
        let connection: OpaquePointer?

        struct Trouble: Error, CustomStringConvertible {
            let description: String
        }

        /// The server of this process, which is removed when it ends.
        static let cluster = Result { try PostgresCluster() }

        convenience init() throws { try self.init(Self.cluster.get().settings) }

        init(_ settings: String) throws {
            connection = PQconnectdb(settings)
            guard PQstatus(connection) == CONNECTION_OK else { throw trouble }
            try run("SET client_min_messages = warning")
        }

        deinit { PQfinish(connection) }

        private var trouble: Trouble { Trouble(description: String(cString: PQerrorMessage(connection))) }

        /// Runs statements, and returns the first value of the last one's result.
        @discardableResult
        func run(_ sql: String) throws -> String {
            let result = PQexec(connection, sql)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw trouble }
            return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : ""
        }

        /// Makes a table of records as a ledger has them, under a name of its own.
        func makeTable(_ name: String) throws {
            try run(
                """
                DEALLOCATE ALL;
                DROP TABLE IF EXISTS \(name);
                CREATE TABLE \(name) (
                    store bigint NOT NULL, position bigint NOT NULL, writer bigint NOT NULL, batch bigint NOT NULL,
                    checksum bigint NOT NULL, is_counted_on boolean NOT NULL, payload bytea NOT NULL,
                    PRIMARY KEY (store, position)
                )
                """
            )
            let values = "$1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::boolean, $7::bytea"
            let sql = "INSERT INTO \(name) VALUES (\(values)) ON CONFLICT DO NOTHING"
            let result = PQprepare(connection, name, sql, 0, nil)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw trouble }
        }

        /// Inserts records, each in a transaction of its own.
        func insertSingly(_ count: Int, into table: String, store: Int = 1, after position: Int = 0) throws {
            for number in 0..<count {
                let result = withRow(store, position + number + 1) {
                    PQexecPrepared(connection, table, 7, $0, $1, $2, 0)
                }
                defer { PQclear(result) }
                guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw trouble }
            }
        }

        /// Inserts records in one pipelined transaction.
        func insertTogether(_ count: Int, into table: String, after position: Int) throws {
            PQenterPipelineMode(connection)
            defer { PQexitPipelineMode(connection) }
            for number in 0..<count {
                guard
                    withRow(1, position + number + 1, { PQsendQueryPrepared(connection, table, 7, $0, $1, $2, 0) }) == 1
                else { throw trouble }
            }
            PQpipelineSync(connection)
            var inserted = 0
            while true {
                guard let result = PQgetResult(connection) else { continue }
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK: inserted += 1
                case PGRES_PIPELINE_SYNC: return try WrongCount.check(inserted, of: count, "records were inserted")
                default: throw trouble
                }
            }
        }

        /// The size of a record of a purchase, as the ledger packs it.
        private static let payload = [UInt8](repeating: 0x5A, count: 100)

        private func withRow<R>(
            _ store: Int,
            _ position: Int,
            _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> R
        ) -> R {
            // Writer, batch and checksum are any numbers, and the record is counted on.
            let numbers = [store, position, 1, position, position].map { Int64($0).bigEndian }
            let isCountedOn: [UInt8] = [1]
            return numbers.withUnsafeBytes { numbers in
                isCountedOn.withUnsafeBytes { isCountedOn in
                    Self.payload.withUnsafeBytes { payload in
                        var values = (0..<5).map { index in numbers.baseAddress.map { $0 + 8 * index } }
                        values += [isCountedOn.baseAddress, payload.baseAddress]
                        return body(
                            values.map { $0?.assumingMemoryBound(to: CChar.self) },
                            [8, 8, 8, 8, 8, 1, Int32(payload.count)],
                            [1, 1, 1, 1, 1, 1, 1]
                        )
                    }
                }
            }
        }

        /// Waits for a notification.
        func waitForNotification() throws {
            while true {
                if let notification = PQnotifies(connection) { return PQfreemem(notification) }
                var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
                guard poll(&descriptor, 1, -1) == 1, PQconsumeInput(connection) == 1 else { throw trouble }
            }
        }

        /// Reads a value in binary form, and returns its size.
        func size(of sql: String) throws -> Int {
            let result = PQexecParams(connection, sql, 0, nil, nil, nil, nil, 1)
            defer { PQclear(result) }
            guard PQntuples(result) == 1, let start = PQgetvalue(result, 0, 0) else { throw trouble }
            return Data(bytes: start, count: Int(PQgetlength(result, 0, 0))).count
        }
    }
#endif
