import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that posts by Foundation's URL loading, without cookies and caches.
///
/// It follows no redirects, so that a notification goes where it was meant to go.
public final class URLSessionTransport: NotificationTransport {
    private let session: URLSession

    /// Creates a transport.
    ///
    /// - Parameter timeout: the seconds that a server has to answer.
    public init(timeout: TimeInterval = 10) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Posts a notification.
    public func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        session.dataTask(with: request) { _, response, error in
            reply(Self.result(response as? HTTPURLResponse, error as? URLError, url, hasFailed: error != nil))
        }.resume()
    }

    static func result(
        _ response: HTTPURLResponse?,
        _ error: URLError?,
        _ url: URL,
        hasFailed: Bool
    ) -> SendAttemptResult {
        if hasFailed { return error.map { result(of: $0.code) } ?? .other }
        guard let response else { return .invalidResponse }
        if (200...206).contains(response.statusCode) { return .success }
        let target = response.value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }
        let isCircular = (300...399).contains(response.statusCode) && target?.absoluteURL == url.absoluteURL
        return isCircular ? .circularRedirect : .unsuccessfulStatus
    }

    private static func result(of code: URLError.Code) -> SendAttemptResult {
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

/// A delegate that follows no redirect.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
