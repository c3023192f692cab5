import Foundation
import StoreCore

/// The app's server, as a launch of the app reaches it.
///
/// A request is a boundary at which the app may be killed: before the request leaves, and after the server has answered.
/// The request or its answer may be lost, and the server may be down.
public final class AppServer: Sendable {
    /// An answer of the server.
    public struct Response: Hashable, Sendable {
        /// The HTTP status.
        public let status: Int
        /// The body.
        public let body: Data

        /// Creates an answer.
        package init(status: Int, body: Data) { (self.status, self.body) = (status, body) }

        /// Whether the status is 2xx.
        public var isSuccess: Bool { status / 100 == 2 }
    }

    private let process: AppProcess
    private let device: SandboxDevice
    nonisolated(unsafe) private let life: any AppServerLife  // Used on the life's thread only.

    init(_ process: AppProcess, _ device: SandboxDevice, _ life: any AppServerLife) {
        (self.process, self.device, self.life) = (process, device, life)
    }

    /// Sends a GET request, and returns the answer, whatever its status.
    ///
    /// - Parameter path: the path after the server's base URL, with a query if there is one.
    /// - Returns: the answer.
    /// - Throws: a `URLError` if there is no answer.
    public func get(_ path: String) async throws -> Response { try await send("GET", path, nil) }

    /// Sends a POST request with a JSON body, and returns the answer, whatever its status.
    ///
    /// - Parameters:
    ///   - path: the path after the server's base URL.
    ///   - body: the JSON.
    /// - Returns: the answer.
    /// - Throws: a `URLError` if there is no answer.
    public func post(_ path: String, _ body: Data) async throws -> Response { try await send("POST", path, body) }

    private func send(_ method: String, _ path: String, _ body: Data?) async throws -> Response {
        // Other tasks of the app go on meanwhile.
        await Task.yield()
        return try await withCheckedThrowingContinuation { continuation in
            let lose = { [process] in
                process.lose { continuation.resume(throwing: URLError(.networkConnectionLost)) }
            }
            guard process.pass(.request, "before its request \(method) \(path) left") else { return lose() }
            // The violation of a call from another thread is noted.
            guard process.isOnItsThread else { return continuation.resume(throwing: URLError(.cannotConnectToHost)) }
            let result: Result<Response, URLError> =
                device.isReachable
                ? life.send(method, path, body, isDisturbed: !process.isSpared)
                : .failure(URLError(.notConnectedToInternet))
            if case .failure = result { process.noteLostRequest() }
            let isAlive = process.pass(
                .response,
                "after the server had answered \(method) \(path), before the answer arrived"
            )
            guard isAlive else { return lose() }
            continuation.resume(with: result)
        }
    }
}
