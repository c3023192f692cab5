import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of the control interface of a server on this machine.
///
/// Its requests block the caller.
struct ControlClient {
    /// The URL of the control interface, which ends in `/control/v1`.
    let url: URL
    private let token: String

    init(_ url: URL, token: String) { (self.url, self.token) = (url, token) }

    /// The URL of the server, or of one of its stores, without its path to the control interface.
    var server: String { String(url.absoluteString.dropLast(Self.path.count)) }

    private static let path = "control/v1"

    /// Returns the URL of a control interface.
    ///
    /// - Parameter text: the URL of a server, of one of its stores, or of the control interface of either.
    /// - Returns: the URL; nil if the text is another URL, or one of another machine.
    static func url(_ text: String) -> URL? {
        guard var parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme), parts.user == nil,
            parts.query == nil, parts.fragment == nil,
            let host = parts.host?.trimmingCharacters(in: ["[", "]"]),
            host == "localhost" || host == "::1" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        else { return nil }
        var path = parts.path.split(separator: "/").joined(separator: "/")
        if path != Self.path, !path.hasSuffix("/\(Self.path)") { path += (path.isEmpty ? "" : "/") + Self.path }
        parts.path = "/\(path)"
        return parts.url
    }

    /// Reads a token.
    ///
    /// - Returns: the token; nil for a text that is none, which is sent to no server.
    static func token(_ text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.wholeMatch(of: /[A-Za-z0-9_-]{16,256}/) == nil ? nil : text
    }

    /// A response.
    struct Answer {
        let status: Int
        /// The header `Table-Header-Line`.
        let headerLine: Int?
        let body: Data
    }

    /// Sends a request, and waits for its response.
    ///
    /// - Parameters:
    ///   - path: the path after `/control/v1`.
    ///   - body: the body of a `POST`; nil for a `GET`.
    ///   - accept: the type of the response.
    ///   - limit: the number of seconds to wait; nil to wait without limit.
    /// - Returns: the response, whatever its status.
    /// - Throws: the error of the connection.
    func send(
        _ path: String,
        _ body: Data? = nil,
        accept: String = "application/json",
        limit: TimeInterval? = nil
    ) throws(URLError) -> Answer {
        Self.avoidProxies()
        var request = URLRequest(url: url.appending(path: path))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue(accept, forHTTPHeaderField: "Accept")
        if let body {
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            // The URL loading system may send a request again whose connection was lost.
            request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForResource
        // Otherwise, Foundation on Linux answers a refused token itself.
        configuration.urlCredentialStorage = nil
        let exchange = Exchange()
        // Each request has a connection of its own: on a broken one, Foundation on Linux would try again for ever.
        let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
        return try exchange.answer(limit: limit)
    }

    /// Prevents that a proxy is asked for a server on this machine.
    private static func avoidProxies() {
        #if canImport(FoundationNetworking)
            // The URL loading system on Linux takes proxies from the environment, and from nowhere else.
            let variables = ProcessInfo.processInfo.environment.keys
            if variables.contains(where: { $0.lowercased().hasSuffix("_proxy") }) { setenv("no_proxy", "*", 1) }
        #endif
    }
}

/// A request in progress.
private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var body = Data()
        var result: Result<ControlClient.Answer, URLError>?
    }

    private let state = Locked(State())
    private let end = DispatchSemaphore(value: 0)

    /// Waits for the response.
    func answer(limit: TimeInterval?) throws(URLError) -> ControlClient.Answer {
        if let limit {
            _ = end.wait(timeout: .now() + limit)
        } else {
            end.wait()
        }
        return try (state.withLock { $0.result } ?? .failure(URLError(.timedOut))).get()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.body += data }
    }

    // Not followed, so the token is sent to no other server.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let response = task.response as? HTTPURLResponse
        state.withLock { state in
            guard error == nil, let response else {
                state.result = .failure(error as? URLError ?? URLError(.badServerResponse))
                return
            }
            let line = response.value(forHTTPHeaderField: "Table-Header-Line").flatMap { Int($0) }
            state.result = .success(.init(status: response.statusCode, headerLine: line, body: state.body))
        }
        end.signal()
    }
}
