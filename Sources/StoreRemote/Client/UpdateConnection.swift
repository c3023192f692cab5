import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A connection for one stream of updates, from the request to the end of the stream.
///
/// Lines are handled in order, on the connection's own queue, so a slow receiver does not delay other streams. The
/// delegate runs on the session's queue. It only stores data and never waits, since Foundation cannot stop reading.
final class UpdateConnection: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        /// The body of a response that refuses the stream.
        var refusal = Data()
        /// The bytes that have arrived and are not handled yet.
        var pending = Data()
        var lastSign = ContinuousClock.now
        var lastLook = ContinuousClock.now
        var end: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
        var tasks: Tasks?
        var watch: (any DispatchSourceTimer)?
    }

    private struct Tasks {
        let opening: URLSessionDataTask
        let stream: URLSessionDataTask

        /// Cancels both tasks: a session waits even for a task that never begins.
        func cancel() {
            opening.cancelElsewhere()
            stream.cancelElsewhere()
        }
    }

    private let queue = DispatchQueue(label: "StoreRemote.updates")
    private let destination: RemoteDestination
    private let silence: TimeInterval
    private let handle: @Sendable (UpdateLine) throws -> Void
    private let state = Locked(State())
    /// Held while lines are split and handled.
    private let reading = Locked(LineSplitter())

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - destination: the store.
    ///   - silence: the seconds without a heartbeat after which the connection counts as lost.
    ///   - handle: receives the lines, one at a time and in order; an error that it throws ends the connection.
    init(
        _ destination: RemoteDestination,
        silence: TimeInterval,
        handle: @escaping @Sendable (UpdateLine) throws -> Void
    ) {
        (self.destination, self.silence, self.handle) = (destination, silence, handle)
    }

    /// Sends a request, and handles lines until the connection ends or the task is canceled.
    ///
    /// - Parameters:
    ///   - request: the request for the stream.
    ///   - opening: a request with an immediate response, sent first. Foundation on Linux (of Swift 6.3) waits for the
    ///     first response on a connection in a loop that occupies a core, so the first must not be the endless
    ///     response.
    /// - Throws: the reason for the end.
    func run(_ request: URLRequest, after opening: URLRequest) async throws {
        try Task.checkCancellation()
        // Until it is invalidated, the session retains this object. The tasks are already being canceled by then. To
        // cancel them together with the session would trap if data arrives at the same time (Foundation of Swift 6.3).
        let session = URLSession(notifyingAtOnce: self)
        defer { session.finishTasksAndInvalidate() }
        let tasks = Tasks(opening: session.dataTask(with: opening), stream: session.dataTask(with: request))
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let end = state.withLock { state -> Result<Void, any Error>? in
                    if let end = state.end { return end }
                    (state.waiter, state.tasks, state.watch) = (waiter, tasks, watch())
                    return nil
                }
                if let end {
                    tasks.cancel()
                    return waiter.resume(with: end)
                }
                tasks.opening.resume()
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Ends the connection, unless it has ended.
    private func finish(_ end: Result<Void, any Error>) {
        let (waiter, tasks, watch) = state.withLock { state in
            // A second call has no effect, since the first has taken the waiter and the tasks.
            if state.end == nil { state.end = end }
            return (state.waiter.take(), state.tasks.take(), state.watch.take())
        }
        watch?.cancel()
        tasks?.cancel()
        // Resumes after the line that is being handled, so only one thread at a time calls the receiver.
        if let waiter { queue.async { waiter.resume(with: end) } }
    }

    private var isOver: Bool { state.withLock { $0.end != nil } }

    /// Returns a timer that ends the connection when heartbeats are missing.
    private func watch() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + silence / 4, repeating: silence / 4)
        timer.setEventHandler { [weak self] in
            guard let self, isSilent() else { return }
            finish(.failure(destination.failure(URLError(.timedOut))))
        }
        timer.activate()
        return timer
    }

    /// Returns whether nothing has arrived for ``silence`` seconds.
    ///
    /// Time during which this process was suspended, or had no free thread for the check, does not count: heartbeats
    /// may be waiting to be read.
    private func isSilent() -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.lastLook > .seconds(silence / 2) { state.lastSign = now }
            state.lastLook = now
            return now - state.lastSign >= .seconds(silence)
        }
    }

    /// Sends the request for the stream, unless the connection has ended.
    private func begin() {
        let stream = state.withLock { state in
            state.lastSign = .now
            return state.tasks?.stream
        }
        stream?.resume()
    }

    /// Handles the lines that are complete.
    private func read() {
        let piece = state.withLock { state in
            defer { state.pending = Data() }
            return state.pending
        }
        if isOver { return }
        do {
            try reading.withLock { lines in
                try lines.take(piece) { line in
                    if isOver { return }
                    guard let line = try? UntrustedJSON.decode(UpdateLine.self, from: line) else {
                        throw destination.unreadable
                    }
                    if let failure = line.failure { throw failure }
                    try handle(line)
                }
            }
        } catch {
            finish(.failure(error is LineSplitter.TooLong ? tooLong : error))
        }
    }

    private func refusal(_ status: Int, _ body: Data) -> StoreFailure {
        RemoteAnswer(status: status, body: body, place: destination.place).failure
    }

    private var tooLong: StoreFailure { destination.failure(URLError(.dataLengthExceedsMaximum)) }

    // MARK: The session's delegate

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let status = dataTask.status
        let (begins, end) = state.withLock { state -> (Bool, StoreFailure?) in
            // Drops data that arrives before the cancellation, and the response to the opening request. That response
            // does not count as a heartbeat: if it is endless, the connection must time out.
            guard state.end == nil, dataTask === state.tasks?.stream else { return (false, nil) }
            state.lastSign = .now
            if status != 200 {
                state.refusal += data
                let isWhole = state.refusal.count < DeviceProtocol.submissionSize
                return (false, isWhole ? nil : refusal(status, state.refusal))
            }
            // Handles chunks together, since they may be as small as a byte.
            let isFirst = state.pending.isEmpty
            state.pending += data
            return state.pending.count > DeviceProtocol.answerSize ? (false, tooLong) : (isFirst, nil)
        }
        if let end { finish(.failure(end)) }
        if begins { queue.async { self.read() } }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = task.status
        // Stops the timer: nothing more arrives, and to handle the lines may take longer than the timer permits.
        state.withLock { task === $0.tasks?.stream ? $0.watch.take() : nil }?.cancel()
        queue.async { [self] in
            if let error { return finish(.failure(destination.failure(error))) }
            let (isOpening, refusal) = state.withLock { (task === $0.tasks?.opening, $0.refusal) }
            if isOpening { return begin() }
            finish(
                .failure(
                    status == 200
                        ? destination.failure(URLError(.networkConnectionLost))
                        : self.refusal(status, refusal)
                )
            )
        }
    }
}

extension URLSessionTask {
    /// The status of the response.
    ///
    /// A redirection has one too, since it is not followed.
    fileprivate var status: Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }
}

/// A splitter of incoming data into lines.
struct LineSplitter {
    /// The maximum length of a line in bytes.
    private let limit: Int
    private var rest = Data()
    /// The number of bytes of `rest` that contain no line end.
    private var searched = 0

    init(limit: Int = DeviceProtocol.answerSize) { self.limit = limit }

    /// Appends data, and calls `body` with each complete line, without its line end.
    ///
    /// - Throws: the error that `body` throws, or ``TooLong``.
    mutating func take(_ piece: Data, _ body: (Data) throws -> Void) throws {
        rest += piece
        var start = rest.startIndex
        while let length = Self.lineLength(rest[(start + searched)...]) {
            let end = start + searched + length
            if end - start > limit { throw TooLong() }
            try body(rest[start..<end])
            start = end + 1
            searched = 0
        }
        if start != rest.startIndex { rest = Data(rest[start...]) }
        searched = rest.count
        if rest.count > limit { throw TooLong() }
    }

    /// Returns the number of bytes before the end of a line; nil if there is none.
    private static func lineLength(_ bytes: Data) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            return memchr(start, Int32(UInt8(ascii: "\n")), bytes.count).map { start.distance(to: $0) }
        }
    }

    /// The error of a line that does not end within the limit.
    struct TooLong: Error {}
}
