import Foundation
import StoreCore

#if canImport(CPostgres)
    import CPostgres

    /// A connection to the server, to be used by one thread at a time.
    ///
    /// All statements of a transaction are sent at once, in libpq's pipeline mode. A connection remains broken once it
    /// has failed or the server has been silent for too long.
    final class Connection {
        let pointer: OpaquePointer
        /// A number that the connection's owner assigns, to repeat its checks on each new connection.
        let number: Int
        private let settings: ConnectionSettings
        /// The time limit for a reply of the server, in seconds.
        private let patience: TimeInterval
        /// The number of follow-up transactions that were sent and whose replies have not been read.
        private var unanswered = 0
        /// The names of prepared statements, by their SQL.
        private var names: [String: String] = [:]
        private let notices = Notices()

        /// Whether the server has sent a warning since this was last read.
        private final class Notices { var hasWarning = false }

        /// Connects to the server.
        init(_ settings: ConnectionSettings, number: Int, patience: TimeInterval) throws(PostgresDatabaseError) {
            guard let pointer = settings.connect(timeout: patience) else {
                throw PostgresDatabaseError(.other, "there is no memory for a connection")
            }
            self.pointer = pointer
            self.number = number
            self.settings = settings
            self.patience = patience
            guard PQstatus(pointer) == CONNECTION_OK else {
                // Releasing this object, whose properties are all initialized here, frees the failed connection.
                throw PostgresDatabaseError(brokenConnection: pointer, settings)
            }
            PQsetnonblocking(pointer, 1)
            PQsetNoticeReceiver(
                pointer,
                { notices, result in
                    // The field 'V' is the severity in English, whatever the server's language.
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

        /// The identifier of this connection in notifications.
        var backend: Int32 { PQbackendPID(pointer) }

        /// Whether the connection can no longer be used.
        private(set) var isBroken = false

        /// Returns whether the server has warned since the last call.
        ///
        /// A commit with a warning is stored on its server, but possibly on none of the standbys.
        func takeWarning() -> Bool {
            defer { notices.hasWarning = false }
            return notices.hasWarning
        }

        /// Runs statements in one transaction.
        ///
        /// - Parameters:
        ///   - requests: the statements.
        ///   - followers: statements that form a second transaction, which runs whatever the result of the first. Their
        ///     results are not awaited, and their errors are ignored.
        /// - Returns: a result for each request.
        /// - Throws: the error of the first statement that fails. No statement has then taken effect, unless the
        ///   connection broke: then all may have.
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

        /// Sends a statement without waiting for its result, which is ignored.
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
                // An empty value needs an address too: libpq would send null without one.
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

        /// Ends the transaction of the statements sent so far, and returns their results.
        private func finish(
            _ count: Int,
            followedBy followers: [Request] = []
        ) throws(PostgresDatabaseError) -> [ResultRows] {
            guard PQpipelineSync(pointer) == 1 else { throw broken() }
            // The replies to earlier followers come first, and are skipped.
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
                    // Between the results of two statements, libpq returns nil.
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
                    // The server closes the connection after a fatal error, without further results.
                    if PQstatus(pointer) != CONNECTION_OK { throw broken(failure) }
                }
            }
        }

        private func flush(_ deadline: Deadline) throws(PostgresDatabaseError) {
            while true {
                let state = PQflush(pointer)
                if state == 0 { return }
                guard state == 1 else { throw broken() }
                // Reads as well, since the server may stop reading until its own output has been read.
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

    /// The result of a statement: its rows, in binary format, or the number of rows that it changed.
    final class ResultRows {
        private let result: OpaquePointer

        /// Takes ownership of a result.
        init(_ result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        /// The number of rows that the statement returned.
        var count: Int { Int(PQntuples(result)) }

        /// The number of rows that the statement inserted, changed or deleted.
        var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

        func bytes(_ row: Int, _ column: Int) -> Data { Data(value(row, column)) }

        /// Returns a number of any width, and 1 or 0 for a Boolean.
        func integer(_ row: Int, _ column: Int) -> Int {
            let bytes = value(row, column)
            let isNegative = bytes.count > 1 && bytes.first.map { $0 & 0x80 != 0 } ?? false
            return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
        }

        func text(_ row: Int, _ column: Int) -> String { String(decoding: value(row, column), as: UTF8.self) }

        private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            let count = Int(PQgetlength(result, Int32(row), Int32(column)))
            return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: count)
        }
    }
#else
    /// The placeholder for a connection without libpq: never created, as its property of type Never ensures.
    struct Connection {
        private let never: Never

        init(_ settings: ConnectionSettings, number: Int, patience: TimeInterval) throws(PostgresDatabaseError) {
            throw .unavailable
        }

        var number: Int { switch never {} }
        var backend: Int32 { switch never {} }
        var isBroken: Bool { switch never {} }
        func takeWarning() -> Bool { switch never {} }
        func run(
            _ requests: [Request],
            followedBy followers: [Request] = []
        ) throws(PostgresDatabaseError) -> [ResultRows] { switch never {} }
        func run(_ sql: String, _ parameters: Parameter...) throws(PostgresDatabaseError) -> ResultRows {
            switch never {}
        }
        func post(_ request: Request) throws(PostgresDatabaseError) { switch never {} }
        func execute(_ script: [String]) throws(PostgresDatabaseError) { switch never {} }
    }

    /// The placeholder for a result without libpq: never created.
    struct ResultRows {
        private let never: Never

        var count: Int { switch never {} }
        var changes: Int { switch never {} }
        func isNull(_ row: Int, _ column: Int) -> Bool { switch never {} }
        func bytes(_ row: Int, _ column: Int) -> Data { switch never {} }
        func integer(_ row: Int, _ column: Int) -> Int { switch never {} }
        func text(_ row: Int, _ column: Int) -> String { switch never {} }
    }
#endif

extension Connection {
    /// A statement with its parameters.
    struct Request {
        let sql: String
        let parameters: [Parameter]

        init(_ sql: String, _ parameters: [Parameter] = []) {
            self.sql = sql
            self.parameters = parameters
        }
    }
}

/// A parameter of a statement, in PostgreSQL's binary format.
enum Parameter {
    case integer(Int)
    case boolean(Bool)
    case text(String)
    case bytes(Data)
    case integers([Int])
    case booleans([Bool])
    case byteStrings([Data])
    case texts([String])

    /// Appends the parameter's bytes in the server's format.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .integer(let value): Self.append(Int64(value), to: &bytes)
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytes(let value): Self.append(value, to: &bytes)
        case .integers(let values): Self.append(values, of: 20, to: &bytes) { Self.append(Int64($0), to: &$1) }
        case .booleans(let values): Self.append(values, of: 16, to: &bytes) { $1.append($0 ? 1 : 0) }
        case .byteStrings(let values): Self.append(values, of: 17, to: &bytes) { Self.append($0, to: &$1) }
        case .texts(let values): Self.append(values, of: 25, to: &bytes) { $1.append(contentsOf: $0.utf8) }
        }
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ value: Data, to bytes: inout [UInt8]) {
        value.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Appends a one-dimensional array: a header with the elements' type identifier, then each length and content.
    private static func append<Element>(
        _ elements: [Element],
        of type: Int32,
        to bytes: inout [UInt8],
        _ appendElement: (Element, inout [UInt8]) -> Void
    ) {
        for number in [1, 0, type, Int32(elements.count), 1] { append(number, to: &bytes) }
        for element in elements {
            let start = bytes.count
            append(Int32(0), to: &bytes)
            appendElement(element, &bytes)
            let length = Int32(bytes.count - start - 4)
            withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
    }
}

/// A thread that calls a closure whenever a socket becomes readable.
///
/// A dispatch source would use two threads: one that waits and one that handles the event. Waking the second takes
/// about as long as a notification.
final class SocketWatch: Sendable {
    private let socket: Int32
    private let isEnded = Locked(false)

    /// Begins to watch a socket; the watch continues even if the descriptor is closed.
    ///
    /// - Parameters:
    ///   - socket: the descriptor.
    ///   - readable: reads the available data, on the watch's thread. It is called again immediately if data remains.
    ///   - ended: releases the reader. It is called once, after the last call of `readable`.
    init(_ socket: Int32, readable: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
        // Watches a duplicate, since libpq closes its own descriptor when a connection breaks.
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let socket = copy < 0 ? socket : copy
        self.socket = socket
        let thread = Thread { [isEnded] in
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            while !isEnded.withLock({ $0 }) {
                if poll(&entry, 1, -1) > 0, !isEnded.withLock({ $0 }) { readable() }
            }
            isEnded.withLock { _ in if copy >= 0 { close(copy) } }
            ended()
        }
        thread.name = "StorePostgres.SocketWatch"
        thread.start()
    }

    /// Ends the watch; may be called on any thread, and more than once.
    func end() {
        isEnded.withLock { isEnded in
            if isEnded { return }
            isEnded = true
            // The lock ensures that the descriptor still belongs to this socket. Written data is still sent.
            shutdown(socket, Int32(SHUT_RD))
        }
    }
}

/// A time at which a wait ends.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// Creates a deadline some seconds from now; the maximum is ten years.
    init(after seconds: TimeInterval) { instant = .now + .seconds(Self.bounded(seconds)) }

    /// Returns a number of seconds, limited to the range from 0 to ten years, which every clock can represent.
    static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(0, seconds), 315_576_000) }

    /// The seconds left, at least 0.
    var seconds: TimeInterval {
        let left = ContinuousClock.now.duration(to: instant) / .seconds(1)
        return max(0, left)
    }

    /// Waits until a socket is ready.
    ///
    /// - Returns: false if the deadline passes first.
    func waits(for socket: Int32, _ events: Int16) -> Bool {
        var entry = pollfd(fd: socket, events: events, revents: 0)
        while true {
            let milliseconds = Int32(min(Double(Int32.max), (seconds * 1000).rounded(.up)))
            let ready = poll(&entry, 1, milliseconds)
            if ready > 0 { return true }
            if ready == 0 { return false }
            // Continues after a signal. The caller's next read reports any other error.
            if errno != EINTR { return true }
        }
    }
}
