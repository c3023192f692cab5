import Foundation
import StoreCore
import StoreRemote

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that posts notifications with `URLSession`, without cookies or caches.
///
/// Redirects are not followed, so a notification reaches only its intended server. The head of the response determines
/// the result; the body is read only if it has a choice of a retention message.
package final class URLSessionTransport: NotificationTransport {
    private let session: URLSession
    private let deliveries = Deliveries()
    private let timeout: TimeInterval

    /// Creates a transport.
    ///
    /// - Parameter timeout: the maximum time of a delivery, in seconds, from its beginning to the end of the response's
    ///   head.
    package init(timeout: TimeInterval = 10) {
        self.timeout = timeout
        session = URLSession(notifyingAtOnce: deliveries)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Posts a notification.
    package func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
        send(body, to: url, timeout: timeout, readsBody: false) { result, status, _ in reply(result, status) }
    }

    /// Posts a request for a retention message.
    ///
    /// A response of more than 64 KiB is invalid.
    package func ask(
        _ body: Data,
        at url: URL,
        timeout: TimeInterval,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) { send(body, to: url, timeout: timeout, readsBody: true, reply) }

    private func send(
        _ body: Data,
        to url: URL,
        timeout: TimeInterval,
        readsBody: Bool,
        _ reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        let task = session.dataTask(with: request)
        task.notifyOfLostBody(deliveries)
        deliveries.add(task, timeout: timeout, readsBody: readsBody, reply)
        task.resume()
    }
}

/// The deliveries in progress; only the first result of each is reported.
private final class Deliveries: NSObject, URLSessionDataDelegate, Sendable {
    typealias Reply = @Sendable (SendAttemptResult, Int?, Data) -> Void

    private struct Delivery {
        let readsBody: Bool
        let reply: Reply
        /// The body so far.
        var body = Data()
    }

    /// The maximum size of a body, in bytes.
    private static let maximumBody = 65_536
    private let deliveries = Locked<[Int: Delivery]>([:])
    /// A serial queue for calls that wait for the session.
    ///
    /// They must not run on the session's own queue, which calls the delegate.
    private let queue = DispatchQueue(label: "StoreServer.deliveries")

    func add(_ task: URLSessionTask, timeout: TimeInterval, readsBody: Bool, _ reply: @escaping Reply) {
        let delivery = Delivery(readsBody: readsBody, reply: reply)
        deliveries.withLock { $0[task.taskIdentifier] = delivery }
        // Weak references, so nothing is retained after the delivery has ended.
        queue.asyncAfter(deadline: .now() + timeout) { [weak self, weak task] in
            if let task { self?.finish(task, .timedOut) }
        }
    }

    /// Ends a delivery and reports its result, unless the delivery has already ended.
    private func finish(_ task: URLSessionTask, _ result: SendAttemptResult, status: Int? = nil) {
        guard let delivery = deliveries.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        queue.async {
            task.cancel()
            delivery.reply(result, status, delivery.body)
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let readsBody = deliveries.withLock { $0[dataTask.taskIdentifier]?.readsBody } ?? false
        let isRead = readsBody && (response as? HTTPURLResponse)?.statusCode == 200
        completionHandler(isRead ? .allow : .cancel)
        if isRead { return }
        guard let response = response as? HTTPURLResponse else { return finish(dataTask, .invalidResponse) }
        finish(dataTask, .init(of: response, to: dataTask), status: response.statusCode)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let size = deliveries.withLock { deliveries in
            deliveries[dataTask.taskIdentifier]?.body += data
            return deliveries[dataTask.taskIdentifier]?.body.count ?? 0
        }
        if size > Self.maximumBody { finish(dataTask, .invalidResponse) }
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
        if error == nil, let status = (task.response as? HTTPURLResponse)?.statusCode, status == 200 {
            return finish(task, .success, status: status)
        }
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
