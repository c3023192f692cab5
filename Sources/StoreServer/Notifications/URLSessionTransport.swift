import Foundation
import StoreCore
import StoreRemote

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that posts notifications with `URLSession`, without cookies or caches.
///
/// Redirects are not followed, so a notification reaches only its intended server. The head of the response determines
/// the result; the body is not read.
public final class URLSessionTransport: NotificationTransport {
    private let session: URLSession
    private let deliveries = Deliveries()
    private let timeout: TimeInterval

    /// Creates a transport.
    ///
    /// - Parameter timeout: the maximum time of a delivery, in seconds, from its beginning to the end of the response's
    ///   head.
    public init(timeout: TimeInterval = 10) {
        self.timeout = timeout
        session = URLSession(notifyingAtOnce: deliveries)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Posts a notification.
    public func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        let task = session.dataTask(with: request)
        task.notifyOfLostBody(deliveries)
        deliveries.add(task, timeout: timeout, reply)
        task.resume()
    }
}

/// The deliveries in progress; only the first result of each is reported.
private final class Deliveries: NSObject, URLSessionDataDelegate, Sendable {
    typealias Reply = @Sendable (SendAttemptResult, Int?) -> Void

    private let replies = Locked<[Int: Reply]>([:])
    /// A serial queue for calls that wait for the session.
    ///
    /// They must not run on the session's own queue, which calls the delegate.
    private let queue = DispatchQueue(label: "StoreServer.deliveries")

    func add(_ task: URLSessionTask, timeout: TimeInterval, _ reply: @escaping Reply) {
        replies.withLock { $0[task.taskIdentifier] = reply }
        // Weak references, so nothing is retained after the delivery has ended.
        queue.asyncAfter(deadline: .now() + timeout) { [weak self, weak task] in
            if let task { self?.finish(task, .timedOut) }
        }
    }

    /// Ends a delivery and reports its result, unless the delivery has already ended.
    private func finish(_ task: URLSessionTask, _ result: SendAttemptResult, status: Int? = nil) {
        guard let reply = replies.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        queue.async {
            task.cancel()
            reply(result, status)
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.cancel)
        guard let response = response as? HTTPURLResponse else { return finish(dataTask, .invalidResponse) }
        finish(dataTask, .init(of: response, to: dataTask), status: response.statusCode)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
        finish(task, .init(of: response, to: task), status: response.statusCode)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
        // Does not post again, since the server may have read the notification.
        finish(task, .prematureClose)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Without an error, the response was invalid, since a valid response has already ended the delivery.
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
