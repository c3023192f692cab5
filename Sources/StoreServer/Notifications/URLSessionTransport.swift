import Foundation
import StoreCore
import StoreRemote

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that posts by Foundation's URL loading, without cookies or caches.
///
/// It follows no redirects, so that a notification reaches only its intended server. The head of a response decides the
/// result; its body is not read.
public final class URLSessionTransport: NotificationTransport {
    private let session: URLSession
    private let deliveries = Deliveries()
    private let timeout: TimeInterval

    /// Creates a transport.
    ///
    /// - Parameter timeout: the seconds within which a server has to respond, from the beginning of the delivery to the end of
    ///   the response's head.
    public init(timeout: TimeInterval = 10) {
        self.timeout = timeout
        session = URLSession(notifyingAtOnce: deliveries)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Posts a notification.
    public func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        let task = session.dataTask(with: request)
        deliveries.add(task, timeout: timeout, reply)
        task.resume()
    }
}

/// The deliveries in progress; the first result of each counts.
private final class Deliveries: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Reply = @Sendable (SendAttemptResult) -> Void

    private let replies = Locked<[Int: Reply]>([:])
    /// A serial queue for work that waits for the session, whose own queue calls this.
    private let queue = DispatchQueue(label: "StoreServer.deliveries")

    func add(_ task: URLSessionTask, timeout: TimeInterval, _ reply: @escaping @Sendable (SendAttemptResult) -> Void) {
        replies.withLock { $0[task.taskIdentifier] = reply }
        // Retains nothing after the delivery has ended.
        queue.asyncAfter(deadline: .now() + timeout) { [weak self, weak task] in
            if let task { self?.finish(task, .timedOut) }
        }
    }

    /// Ends a delivery, unless it has ended.
    private func finish(_ task: URLSessionTask, _ result: SendAttemptResult) {
        guard let reply = replies.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        queue.async {
            task.cancel()
            reply(result)
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.cancel)
        finish(dataTask, (response as? HTTPURLResponse).map { .init(of: $0, to: dataTask) } ?? .invalidResponse)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
        finish(task, .init(of: response, to: task))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Without an error: if there had been a response, the delivery would have ended before.
        finish(task, error.map { ($0 as? URLError).map { .init(of: $0.code) } ?? .other } ?? .invalidResponse)
    }
}

extension SendAttemptResult {
    fileprivate init(of response: HTTPURLResponse, to task: URLSessionTask) {
        if (200...206).contains(response.statusCode) {
            self = .success
            return
        }
        let url = task.originalRequest?.url
        let target = response.value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }
        let isCircular =
            (300...399).contains(response.statusCode) && target != nil && target?.absoluteURL == url?.absoluteURL
        self = isCircular ? .circularRedirect : .unsuccessfulStatus
    }

    fileprivate init(of code: URLError.Code) {
        self =
            switch code {
            case .timedOut: .timedOut
            case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: .socketIssue
            case .networkConnectionLost: .prematureClose
            case .badServerResponse, .cannotParseResponse: .invalidResponse
            case .zeroByteResource: .noResponse
            case .httpTooManyRedirects, .redirectToNonExistentLocation: .circularRedirect
            case .cannotDecodeContentData, .cannotDecodeRawData: .unsupportedCharset
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .tlsIssue
            default: .other
            }
    }
}

/// A way to post notifications to a server, for tests of what happens if it fails.
///
/// ``URLSessionTransport`` is the one that is used unless another is given.
public protocol NotificationTransport: Sendable {
    /// Posts a notification.
    ///
    /// Deliveries are sequential: the next one waits for the reply.
    ///
    /// - Parameters:
    ///   - body: the JSON object with the `signedPayload`.
    ///   - url: the URL of the server.
    ///   - reply: receives the result, exactly once, on any thread, possibly before this returns.
    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult) -> Void)
}
