#if canImport(CPostgres)
    import CPostgres
    import Foundation

    /// A connection to the server, which one thread uses at a time.
    ///
    /// Statements are sent in one go, in libpq's pipeline mode, and make one transaction. A connection that broke, or
    /// whose server kept silent for too long, stays broken.
    final class Connection {
        /// A statement with its parameters.
        struct Request {
            let sql: String
            let parameters: [Parameter]

            init(_ sql: String, _ parameters: [Parameter] = []) {
                self.sql = sql
                self.parameters = parameters
            }
        }

        let pointer: OpaquePointer
        /// The number that its owner has given it: what was checked on an earlier one is to be checked again.
        let number: Int
        private let settings: ConnectionSettings
        /// The seconds that the server has for an answer.
        private let patience: TimeInterval
        /// The number of transactions behind others whose answers have yet to be read.
        private var unanswered = 0
        /// The names of prepared statements, by their text.
        private var names: [String: String] = [:]
        private let notices = Notices()

        /// The warnings of the server since they were last looked at.
        private final class Notices { var hasWarning = false }

        /// Connects.
        init(_ settings: ConnectionSettings, number: Int, patience: TimeInterval) throws(PostgresDatabaseError) {
            guard let pointer = settings.connect(timeout: patience) else {
                throw PostgresDatabaseError(.other, "there is no memory for a connection")
            }
            self.pointer = pointer
            self.number = number
            self.settings = settings
            self.patience = patience
            guard PQstatus(pointer) == CONNECTION_OK else {
                // It is freed with this object, which is complete.
                throw PostgresDatabaseError(brokenConnection: pointer, settings)
            }
            PQsetnonblocking(pointer, 1)
            PQsetNoticeReceiver(
                pointer,
                { notices, result in
                    // The severity in English, whatever the server's language ('V').
                    guard let notices, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
                        String(cString: severity) == "WARNING"
                    else { return }
                    Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().hasWarning = true
                },
                Unmanaged.passUnretained(notices).toOpaque()
            )
            PQenterPipelineMode(pointer)
        }

        deinit { PQfinish(pointer) }

        /// The number by which notifications name this connection.
        var backend: Int32 { PQbackendPID(pointer) }

        /// Whether it can be used no more.
        private(set) var isBroken = false

        /// Whether the server has warned since this was last called.
        ///
        /// A commit that warns is in the server that took it, and perhaps in no standby.
        func takeWarning() -> Bool {
            defer { notices.hasWarning = false }
            return notices.hasWarning
        }

        /// Runs statements in one transaction.
        ///
        /// - Parameters:
        ///   - requests: the statements.
        ///   - followers: statements that make a transaction of their own behind it, whatever becomes of it. Nobody waits for
        ///     them, nor hears of their errors.
        /// - Returns: a result of each request.
        /// - Throws: the error of the first that fails, none of which has then been run; for a broken connection they may
        ///   have been.
        func run(
            _ requests: [Request],
            followedBy followers: [Request] = []
        ) throws(PostgresDatabaseError) -> [ResultRows] {
            if isBroken { throw PostgresDatabaseError(.unreachable, "the connection to the database was lost") }
            for request in requests where names[request.sql] == nil { try prepare(request.sql) }
            for request in followers where names[request.sql] == nil { try prepare(request.sql) }
            for request in requests { try send(request) }
            return try finish(requests.count, followedBy: followers)
        }

        /// Sends a statement that nobody waits for.
        func post(_ request: Request) throws(PostgresDatabaseError) {
            if names[request.sql] == nil { try prepare(request.sql) }
            try send(request)
            guard PQpipelineSync(pointer) == 1, PQflush(pointer) >= 0 else { throw broken() }
            unanswered += 1
        }

        /// Runs one statement.
        func run(_ sql: String, _ parameters: Parameter...) throws(PostgresDatabaseError) -> ResultRows {
            try run([Request(sql, parameters)])[0]
        }

        /// Runs statements without parameters, separated by semicolons, in one transaction.
        func execute(_ script: [String]) throws(PostgresDatabaseError) {
            for sql in script {
                guard PQsendQueryParams(pointer, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw broken() }
            }
            _ = try finish(script.count)
        }

        private func prepare(_ sql: String) throws(PostgresDatabaseError) {
            let name = "s\(names.count + 1)"
            guard PQsendPrepare(pointer, name, sql, 0, nil) == 1 else { throw broken() }
            _ = try finish(1)
            names[sql] = name
        }

        private func send(_ request: Request) throws(PostgresDatabaseError) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(256)
            let lengths = request.parameters.map { parameter in
                let start = bytes.count
                parameter.append(to: &bytes)
                return Int32(bytes.count - start)
            }
            let isSent = bytes.withUnsafeBytes { bytes in
                // An empty value has an address too: without one it would be null.
                var address = bytes.baseAddress ?? UnsafeRawPointer(pointer)
                let addresses = lengths.map { length in
                    defer { address += Int(length) }
                    return Optional(address.assumingMemoryBound(to: CChar.self))
                }
                return PQsendQueryPrepared(
                    pointer,
                    names[request.sql] ?? "",
                    Int32(lengths.count),
                    addresses,
                    lengths,
                    [Int32](repeating: 1, count: lengths.count),
                    1
                )
            }
            guard isSent == 1 else { throw broken() }
        }

        /// Ends a transaction of statements that were sent, and returns their results.
        private func finish(
            _ count: Int,
            followedBy followers: [Request] = []
        ) throws(PostgresDatabaseError) -> [ResultRows] {
            guard PQpipelineSync(pointer) == 1 else { throw broken() }
            // The answers to what followed earlier ones come first.
            var skipped = unanswered
            unanswered = 0
            if !followers.isEmpty {
                for follower in followers { try send(follower) }
                guard PQpipelineSync(pointer) == 1 else { throw broken() }
                unanswered = 1
            }
            let deadline = Deadline(after: patience)
            try flush(deadline)
            var results: [ResultRows] = []
            var failure: PostgresDatabaseError?
            while true {
                guard let result = try nextResult(deadline) else {
                    // Between two statements' results.
                    if PQstatus(pointer) != CONNECTION_OK { throw broken() }
                    continue
                }
                switch PQresultStatus(result) {
                case PGRES_PIPELINE_SYNC where skipped > 0:
                    PQclear(result)
                    skipped -= 1
                    (results, failure) = ([], nil)
                    _ = takeWarning()
                case PGRES_PIPELINE_SYNC:
                    PQclear(result)
                    if let failure { throw failure }
                    guard results.count == count else { throw broken() }
                    return results
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK: results.append(ResultRows(result))
                default:
                    if failure == nil, PQresultStatus(result) != PGRES_PIPELINE_ABORTED {
                        failure = PostgresDatabaseError(result)
                    }
                    PQclear(result)
                    // The server ends the connection, with no more results.
                    if PQstatus(pointer) != CONNECTION_OK { throw broken(failure) }
                }
            }
        }

        private func flush(_ deadline: Deadline) throws(PostgresDatabaseError) {
            while true {
                let state = PQflush(pointer)
                if state == 0 { return }
                guard state == 1 else { throw broken() }
                // The server may have to be listened to before it listens.
                guard deadline.waits(for: PQsocket(pointer), Int16(POLLIN | POLLOUT)) else { throw silent() }
                if PQconsumeInput(pointer) != 1 { throw broken() }
            }
        }

        private func nextResult(_ deadline: Deadline) throws(PostgresDatabaseError) -> OpaquePointer? {
            while PQisBusy(pointer) == 1 {
                guard deadline.waits(for: PQsocket(pointer), Int16(POLLIN)) else { throw silent() }
                if PQconsumeInput(pointer) != 1 { throw broken() }
            }
            return PQgetResult(pointer)
        }

        private func broken(_ failure: PostgresDatabaseError? = nil) -> PostgresDatabaseError {
            isBroken = true
            let error = failure ?? PostgresDatabaseError(brokenConnection: pointer, settings)
            return PostgresDatabaseError(.unreachable, error.description)
        }

        private func silent() -> PostgresDatabaseError {
            isBroken = true
            return PostgresDatabaseError(.unreachable, "the database has not answered for \(patience) seconds")
        }
    }
#endif
