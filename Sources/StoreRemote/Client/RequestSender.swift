import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends a device's requests, by Foundation's URL loading without cookies and caches.
///
/// No redirection is followed, so that the token goes nowhere else.
final class RequestSender: Sendable {
    let destination: RemoteDestination
    private let session: URLSession
    private let exchanges: Exchanges
    /// The prepared requests, by version and call, without bodies: a URL takes long to make.
    private let requests = Locked<[Int: [DeviceCall: URLRequest]]>([:])

    init(_ destination: RemoteDestination) {
        self.destination = destination
        exchanges = Exchanges(timeout: destination.timeout)
        session = URLSession(notifyingAtOnce: exchanges)
    }

    /// No request waits for its answer, since each keeps its sender.
    ///
    /// Tasks that have been given up are about to be canceled. To cancel here, too, would wait for the session's queue, on
    /// which the last reference may go.
    deinit { session.finishTasksAndInvalidate() }

    /// Posts a body, and returns the answer, of any status.
    ///
    /// - Throws: the network's failure, a `StoreFailure`.
    func post(_ call: DeviceCall, version: Int, _ body: Data) async throws -> RemoteAnswer {
        let task = session.dataTask(with: request(call, version: version, body: body))
        let (status, answer) = try await withTaskCancellationHandler {
            do {
                return try await withCheckedThrowingContinuation { exchanges.begin(task, $0) }
            } catch {
                throw destination.failure(error)
            }
        } onCancel: {
            task.cancelElsewhere()
        }
        return RemoteAnswer(status: status, body: answer, place: destination.place)
    }

    private func request(_ call: DeviceCall, version: Int, body: Data) -> URLRequest {
        var request = requests.withLock { requests in
            if let request = requests[version]?[call] { return request }
            let request = destination.request(call, version: version, body: Data())
            requests[version, default: [:]][call] = request
            return request
        }
        request.httpBody = body
        return request
    }
}

extension URLSessionTask {
    /// A serial queue for cancellations: on the global queue they would wait for a free thread while data goes on arriving.
    private static let cancellations = DispatchQueue(label: "StoreRemote.cancellations")

    /// Cancels the task without waiting for its session's queue, on which the caller may be.
    ///
    /// It must not wait in a cancellation handler either, which holds a lock that resuming a continuation on that queue
    /// needs.
    func cancelElsewhere() {
        Self.cancellations.async { self.cancel() }
    }
}

/// The requests that are under way.
///
/// The session calls it on its own queue, on Linux: it must not block, nor wait for the session.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Answer = CheckedContinuation<(status: Int, body: Data), any Error>

    private struct Exchange {
        let task: URLSessionTask
        let answer: Answer
        var body = Data()
        var lastSign = ContinuousClock.now
    }

    private struct State {
        var exchanges: [Int: Exchange] = [:]
        /// Looks for exchanges on which nothing moves; nil while there is none.
        var watch: (any DispatchSourceTimer)?
    }

    private let timeout: TimeInterval
    private let state = Locked(State())

    init(timeout: TimeInterval) { self.timeout = min(max(timeout, 0.01), 86_400) }

    deinit { state.withLock { $0.watch.take() }?.cancel() }

    func begin(_ task: URLSessionTask, _ answer: Answer) {
        state.withLock { state in
            state.exchanges[task.taskIdentifier] = Exchange(task: task, answer: answer)
            if state.watch == nil { state.watch = watch() }
        }
        // Nobody has heard the end of one that was canceled before it was noted.
        if Task.isCancelled {
            let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
            exchange?.answer.resume(throwing: URLError(.cancelled))
            return
        }
        task.resume()
    }

    private func watch() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + timeout / 4, repeating: timeout / 4)
        timer.setEventHandler { [weak self] in self?.endSilent() }
        timer.activate()
        return timer
    }

    /// Ends the exchanges on which nothing has moved for too long.
    private func endSilent() {
        let silent = state.withLock { state in
            let start = ContinuousClock.now - .seconds(timeout)
            let silent = state.exchanges.filter { $0.value.lastSign <= start }
            for number in silent.keys { state.exchanges[number] = nil }
            if state.exchanges.isEmpty { state.watch.take()?.cancel() }
            return silent.values
        }
        for exchange in silent {
            exchange.answer.resume(throwing: URLError(.timedOut))
            exchange.task.cancelElsewhere()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        let tooLong = state.withLock { state -> Exchange? in
            state.exchanges[number]?.body += data
            state.exchanges[number]?.lastSign = .now
            guard state.exchanges[number]?.body.count ?? 0 > DeviceProtocol.answerSize else { return nil }
            // Data that arrives before the cancellation is dropped.
            return state.exchanges.removeValue(forKey: number)
        }
        guard let tooLong else { return }
        tooLong.task.cancelElsewhere()
        tooLong.answer.resume(throwing: URLError(.dataLengthExceedsMaximum))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = state.withLock({ $0.exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error { return exchange.answer.resume(throwing: error) }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        exchange.answer.resume(returning: (status, exchange.body))
    }
}
