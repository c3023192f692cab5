import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A sender of a device's requests that uses Foundation's URL loading without cookies or caches.
///
/// Redirections are not followed, so the token is sent to no other server.
final class RequestSender: Sendable {
    let destination: RemoteDestination
    private let session: URLSession
    private let exchanges: Exchanges
    /// The prepared requests without bodies, by version and call; cached because creating a URL is slow.
    private let requests = Locked<[Int: [DeviceCall: URLRequest]]>([:])

    init(_ destination: RemoteDestination) {
        self.destination = destination
        exchanges = Exchanges(timeout: destination.timeout)
        session = URLSession(notifyingAtOnce: exchanges)
    }

    /// Invalidates the session.
    ///
    /// No request is pending, since each request retains its sender. Tasks without a caller are already being canceled:
    /// to cancel them here would wait for the session's queue, on which this deinitializer may run.
    deinit { session.finishTasksAndInvalidate() }

    /// Posts a body and returns the response, whatever its status.
    ///
    /// If a reused connection breaks, the request is posted once more, provided that a store may take it twice.
    ///
    /// - Throws: a `StoreFailure` for a network error.
    func post(_ call: DeviceCall, version: Int, _ body: Data) async throws -> RemoteAnswer {
        let request = request(call, version: version, body: body)
        for mayRepeat in [call.mayBeRepeated, false] {
            do {
                let (status, answer) = try await send(request)
                return RemoteAnswer(status: status, body: answer, place: destination.place)
            } catch URLError.requestBodyStreamExhausted where mayRepeat {
                continue
            } catch URLError.requestBodyStreamExhausted {
                break
            } catch {
                throw destination.failure(error)
            }
        }
        throw destination.failure(URLError(.networkConnectionLost))
    }

    private func send(_ request: URLRequest) async throws -> (status: Int, body: Data) {
        let task = session.dataTask(with: request)
        task.notifyOfLostBody(exchanges)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchanges.begin(task, $0) }
        } onCancel: {
            task.cancelElsewhere()
        }
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
    /// A serial queue for cancellations.
    ///
    /// On the global queue, they would wait for a free thread while data still arrives.
    private static let cancellations = DispatchQueue(label: "StoreRemote.cancellations")

    /// Makes the session ask a delegate for a new body when the task's connection was lost, by calling
    /// `urlSession(_:task:needNewBodyStream:)`.
    ///
    /// If a reused connection breaks, Foundation on Linux (of Swift 6.3) sends only the head of the request on another
    /// connection. It then loops, occupying a core, until the task is canceled. Only a delegate of the task itself is
    /// notified of this.
    package func notifyOfLostBody(_ delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            self.delegate = delegate
        #endif
    }

    /// Cancels the task without waiting for its session's queue, on which the caller may be running.
    ///
    /// A cancellation handler must not wait for that queue either: the handler holds a lock, which the queue needs in
    /// order to resume a continuation.
    func cancelElsewhere() { Self.cancellations.async { self.cancel() } }
}

/// The requests in progress.
///
/// On Linux, the session calls this delegate on its own queue, so the delegate must neither block nor wait for the
/// session.
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
        /// A timer that ends idle exchanges; nil while there is no exchange.
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
        // Nothing else resumes the caller of a task that was canceled before it was registered.
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

    /// Ends the exchanges that have been idle for too long.
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
            // Removes the exchange, so data that arrives before the cancellation is dropped.
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

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
        task.cancelElsewhere()
        exchange?.answer.resume(throwing: URLError(.requestBodyStreamExhausted))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = state.withLock({ $0.exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error { return exchange.answer.resume(throwing: error) }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        exchange.answer.resume(returning: (status, exchange.body))
    }
}

/// The server and the token of requests, with the failures to report.
struct RemoteDestination: Sendable {
    let url: URL
    let token: DeviceToken
    let timeout: TimeInterval

    /// Returns a request: a POST if it has a body.
    func request(_ call: DeviceCall, version: Int, query: [URLQueryItem] = [], body: Data? = nil) -> URLRequest {
        var url = url
        for part in call.path(version: version) { url.append(path: part) }
        if !query.isEmpty { url.append(queryItems: query) }
        var request = URLRequest(url: url, timeoutInterval: 86_400)
        request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
        if let body {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body
        }
        return request
    }

    /// Returns the failure for an error of the URL loading system.
    func failure(_ error: any Error) -> StoreFailure {
        if let failure = error as? StoreFailure { return failure }
        let code = (error as? URLError)?.code ?? .unknown
        let reason =
            switch code {
            case .timedOut: "gave no sign of life in time"
            case .cancelled: "was not asked to the end"
            case .networkConnectionLost: "broke the connection off"
            case .dataLengthExceedsMaximum: "sent more than \(DeviceProtocol.answerSize >> 20) MiB at a time"
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateHasBadDate, .serverCertificateNotYetValid:
                "has no certificate that is trusted here"
            // On Linux, the error of an untrusted certificate has no specific code, only a text.
            default: "cannot be reached: \(error.localizedDescription) (\(code.rawValue))"
            }
        return .network(code, "the store at \(place) \(reason)")
    }

    /// Returns the failure for a response that cannot be decoded.
    var unreadable: StoreFailure {
        .network(.cannotParseResponse, "what the store at \(place) answered cannot be read")
    }

    /// The host and the port.
    var place: String { (url.host() ?? "?") + (url.port.map { ":\($0)" } ?? "") }
}

/// A store's response: an HTTP status and a body.
struct RemoteAnswer {
    let status: Int
    let body: Data
    /// The host and the port of the server.
    let place: String

    /// The body of a successful response.
    ///
    /// - Throws: a `StoreFailure` for any other status.
    var content: Data {
        get throws {
            guard (200...299).contains(status) else { throw failure }
            return body
        }
    }

    /// The failure for a status other than success: the store's own failure, if the body has one.
    var failure: StoreFailure {
        ownFailure ?? .network(.badServerResponse, "the store at \(place) answered with the HTTP status \(status)")
    }

    /// The failure with which the store permanently refuses a request; nil for any other response.
    ///
    /// Any server, such as a proxy, may report that a request is too long. Other permanent refusals come only from the
    /// store, in its own format.
    var finalRefusal: StoreFailure? {
        switch status {
        case 413: failure
        case 400, 422: ownFailure
        default: nil
        }
    }

    private var ownFailure: StoreFailure? { try? UntrustedJSON.decode(StoreFailure.self, from: body) }
}

#if canImport(FoundationNetworking)
    /// A queue that runs a URL session's callbacks synchronously on the session's own queue.
    ///
    /// Foundation on Linux makes four callbacks for each request. Run as operations, they take up to a fifth of the
    /// request's time, wake threads, and keep all arriving data in memory while no thread is free.
    private final class CallbackQueue: OperationQueue, @unchecked Sendable {  // unchecked: it adds no state
        override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif

extension URLSession {
    /// Creates a session without cookies, caches, credentials and timeouts, which calls its delegate without switching
    /// threads.
    ///
    /// On Linux, the delegate is called on the session's own queue. It must neither block nor call anything that waits
    /// for that queue, such as a task's `cancel()` or `resume()`.
    package convenience init(notifyingAtOnce delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: CallbackQueue())
        #else
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: nil)
        #endif
    }
}

extension URLSessionConfiguration {
    /// A configuration that stores nothing between requests, and has no timeout.
    fileprivate static var forgetful: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        // Otherwise, Foundation on Linux searches each header of each response for cookies.
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        // Many stores of a process may have their servers on one host, and none waits for another's slow response.
        configuration.httpMaximumConnectionsPerHost = 256
        // Without credential storage, Foundation on Linux does not answer challenges itself. To answer one, it would
        // call `cancel()` or `resume()` in a callback on the session's own queue. Both wait for that queue, which is a
        // deadlock.
        configuration.urlCredentialStorage = nil
        // Disables Foundation's own timeout: it is measured differently on some systems, and does not run before a
        // response begins.
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForResource
        return configuration
    }
}
