import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A stream of updates, from its request to its end.
///
/// Lines are handled in order, on the queue of a URL session of its own: no other stream waits for a slow receiver.
final class UpdateConnection: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var status = 200
        /// The body of a refusal.
        var refusal = Data()
        var lastSign = ContinuousClock.now
        var lastLook = ContinuousClock.now
        var end: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
        var task: URLSessionTask?
        var watch: (any DispatchSourceTimer)?
    }

    private let destination: RemoteDestination
    private let silence: TimeInterval
    private let handle: @Sendable (UpdateLine) throws -> Void
    private let state = Locked(State())
    /// Held while lines are taken apart and handled.
    private let reading = Locked(LineSplitter())

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - destination: the store.
    ///   - silence: the seconds without a sign of life after which the connection counts as lost.
    ///   - handle: receives the lines, one at a time and in order; what it throws ends the connection.
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
    ///   - opening: a request that is answered at once, and sent first. On Linux, Foundation (of Swift 6.3) waits for the
    ///     answer to the first request of a connection in a loop that keeps a core busy: that is not to be the endless answer.
    /// - Throws: the reason for the end.
    func run(_ request: URLRequest, after opening: URLRequest) async throws {
        try Task.checkCancellation()
        // The session keeps this object until it is invalidated. The task is canceled by then; canceling it together with the
        // session traps where something arrives meanwhile (Foundation of Swift 6.3).
        let session = URLSession(notifying: self)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: opening) { [self] _, _, error in
            if let error { return finish(.failure(destination.failure(error))) }
            state.withLock { state in
                // The session is valid until there is an end.
                guard state.end == nil else { return }
                state.lastSign = .now
                state.task = session.dataTask(with: request)
                state.task?.resume()
            }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let end = state.withLock { state -> Result<Void, any Error>? in
                    if let end = state.end { return end }
                    (state.waiter, state.task, state.watch) = (waiter, task, watch())
                    return nil
                }
                if let end {
                    // A session waits for its tasks, also for one that never begins.
                    task.cancelElsewhere()
                    return waiter.resume(with: end)
                }
                task.resume()
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Ends the connection, unless it has ended.
    private func finish(_ end: Result<Void, any Error>) {
        let (waiter, task, watch) = state.withLock { state in
            // Whatever there was has been taken by the first end.
            if state.end == nil { state.end = end }
            return (state.waiter.take(), state.task.take(), state.watch.take())
        }
        watch?.cancel()
        task?.cancelElsewhere()
        waiter?.resume(with: end)
    }

    private var isOver: Bool { state.withLock { $0.end != nil } }

    /// Returns a timer that ends the connection when nothing has come for too long.
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

    /// Returns whether nothing has come for too long.
    ///
    /// Time in which this process was suspended, or had no thread to look, does not count: signs of life may be waiting
    /// to be read.
    private func isSilent() -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.lastLook > .seconds(silence / 2) { state.lastSign = now }
            state.lastLook = now
            return now - state.lastSign >= .seconds(silence)
        }
    }

    // MARK: The session's delegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { state in
            state.status = (response as? HTTPURLResponse)?.statusCode ?? 0
            state.lastSign = .now
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isRead = state.withLock { state in
            // What arrives before the task is canceled is dropped.
            if state.end != nil { return false }
            state.lastSign = .now
            if state.status == 200 { return true }
            if state.refusal.count < DeviceProtocol.submissionSize { state.refusal += data }
            return false
        }
        guard isRead else { return }
        do {
            try reading.withLock { lines in
                try lines.take(data) { line in
                    if isOver { return }
                    guard let line = try? UntrustedJSON.decode(UpdateLine.self, from: line) else {
                        throw destination.unreadable
                    }
                    if let failure = line.failure { throw failure }
                    try handle(line)
                }
            }
        } catch {
            finish(.failure(error is LineSplitter.TooLong ? destination.unreadable : error))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (known, refusal) = state.withLock { ($0.status, $0.refusal) }
        // Of a redirection that is not followed, no response was told.
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? known
        if let error {
            finish(.failure(destination.failure(error)))
        } else if status != 200 {
            finish(.failure(destination.failure(status: status, refusal)))
        } else {
            finish(.failure(destination.failure(URLError(.networkConnectionLost))))
        }
    }
}
