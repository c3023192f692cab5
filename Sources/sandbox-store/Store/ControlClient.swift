import Foundation
import StoreCore
import StoreRemote

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of the control interface of a server on this machine.
///
/// Its requests block the caller, and are sent one after another.
final class ControlClient {
    /// The URL of the control interface, which ends in `/control/v1`.
    let url: URL
    private let token: String
    private let exchange = Exchange()
    private let session: URLSession

    init(_ url: URL, token: String) {
        (self.url, self.token) = (url, token)
        session = URLSession(notifyingAtOnce: exchange)
    }

    deinit { session.finishTasksAndInvalidate() }

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
        var request = URLRequest(url: url.appending(path: path), timeoutInterval: 86_400)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue(accept, forHTTPHeaderField: "Accept")
        if let body {
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            // So the request can be sent again if its connection was lost, as one that was idle for long is.
            request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        }
        do {
            return try exchange.answer(to: session.dataTask(with: request), limit: limit)
        } catch {
            guard error.code == .requestBodyStreamExhausted else { throw error }
            return try exchange.answer(to: session.dataTask(with: request), limit: limit)
        }
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

/// The request in progress.
///
/// The session calls this delegate on its own queue, so the delegate must neither block nor wait for the session.
private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        /// The number of the task; nil while there is none.
        var task: Int?
        var body = Data()
        var result: Result<ControlClient.Answer, URLError>?
    }

    private let state = Locked(State())
    private let end = DispatchSemaphore(value: 0)

    /// Sends a request, and waits for its response.
    func answer(to task: URLSessionTask, limit: TimeInterval?) throws(URLError) -> ControlClient.Answer {
        let number = task.taskIdentifier
        state.withLock { $0 = State(task: number) }
        task.notifyOfLostBody(self)
        task.resume()
        let deadline = limit.map { DispatchTime.now() + $0 } ?? .distantFuture
        let isInTime = end.wait(timeout: deadline) == .success
        // No later event of the task is heard.
        let result = state.withLock { state in
            state.task = nil
            return state.result
        }
        // One that has come meanwhile does not end the next wait.
        if !isInTime, result != nil { end.wait() }
        guard let result else {
            task.cancel()
            throw URLError(.timedOut)
        }
        if case .failure = result { task.cancel() }
        return try result.get()
    }

    /// Ends the wait for a task's response.
    private func end(_ task: URLSessionTask, _ result: Result<ControlClient.Answer, URLError>) {
        let number = task.taskIdentifier
        let isNew = state.withLock { state in
            guard state.task == number, state.result == nil else { return false }
            state.result = result
            return true
        }
        if isNew { end.signal() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        state.withLock { if $0.task == number { $0.body += data } }
    }

    // Not followed, so the token is sent to no other server.
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
        end(task, .failure(URLError(.requestBodyStreamExhausted)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard error == nil, let response = task.response as? HTTPURLResponse else {
            return end(task, .failure(error as? URLError ?? URLError(.badServerResponse)))
        }
        let line = response.value(forHTTPHeaderField: "Table-Header-Line").flatMap { Int($0) }
        let body = state.withLock { $0.body }
        end(task, .success(.init(status: response.statusCode, headerLine: line, body: body)))
    }
}
