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

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where requests go, with the token that they carry, and what is said when one fails.
struct RemoteDestination: Sendable {
    let url: URL
    let token: DeviceToken
    let timeout: TimeInterval

    /// Returns a request: a post where it has a body.
    func request(
        _ call: DeviceCall,
        version: Int,
        query: [URLQueryItem] = [],
        body: Data? = nil
    ) -> URLRequest {
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

    /// Returns the failure for an error of the URL loading system's.
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
            // On Linux a certificate that is not trusted has no code of its own, and is told of in words only.
            default: "cannot be reached: \(error.localizedDescription) (\(code.rawValue))"
            }
        return .network(code, "the store at \(place) \(reason)")
    }

    /// Returns the failure for an answer that cannot be read.
    var unreadable: StoreFailure {
        .network(.cannotParseResponse, "what the store at \(place) answered cannot be read")
    }

    /// The host and the port.
    var place: String { (url.host() ?? "?") + (url.port.map { ":\($0)" } ?? "") }
}

/// What a store has answered: a status of HTTP, and a body.
struct RemoteAnswer {
    let status: Int
    let body: Data
    /// The host and the port that answered.
    let place: String

    /// The body of a success.
    ///
    /// - Throws: a `StoreFailure` for any other status.
    var content: Data {
        get throws {
            guard (200...299).contains(status) else { throw failure }
            return body
        }
    }

    /// The failure for a status other than success: the store's own, if the body has one.
    var failure: StoreFailure {
        ownFailure ?? .network(.badServerResponse, "the store at \(place) answered with the HTTP status \(status)")
    }

    /// The failure with which the store refuses a request for good, which would not be answered otherwise later; nil for any
    /// other answer.
    ///
    /// That a request is too long may be said by whatever stands in front of a store; all else by the store alone, in its words.
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
    import FoundationNetworking

    /// A queue that runs a URL session's callbacks synchronously on the session's own queue.
    ///
    /// Foundation on Linux has four callbacks for a request that is answered. As operations, they cost as much as a fifth of
    /// the request, threads are woken for them, and while no thread is free, all that arrives waits in memory.
    private final class CallbackQueue: OperationQueue, @unchecked Sendable {  // unchecked: nothing of its own changes
        override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif

extension URLSession {
    /// Creates a session without cookies, caches, credentials and timeouts, which calls its delegate without a thread hop.
    ///
    /// On Linux, the delegate is called on the session's own queue: it must not block, nor call what waits for that queue,
    /// such as a task's `cancel()` or `resume()`.
    package convenience init(notifyingAtOnce delegate: any URLSessionDataDelegate) {
        #if canImport(FoundationNetworking)
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: CallbackQueue())
        #else
            self.init(configuration: .forgetful, delegate: delegate, delegateQueue: nil)
        #endif
    }
}

extension URLSessionConfiguration {
    /// A configuration that keeps nothing between requests, and has no timeout.
    fileprivate static var forgetful: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        // Otherwise, Foundation on Linux looks for cookies in each line of each answer's head.
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        // Nothing answers a challenge: Foundation would cancel or resume the task in a callback, on the very queue that this
        // waits for.
        configuration.urlCredentialStorage = nil
        // Foundation's own timeout counts differently on some systems, and not at all before an answer begins: it is out of
        // the way.
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForResource
        return configuration
    }
}
