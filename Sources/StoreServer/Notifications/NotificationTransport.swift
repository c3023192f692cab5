import Foundation

/// A way to post notifications to a server.
///
/// A test may replace it, for example to simulate failures.
///
/// The transport of a new ``StoreServer/Configuration`` posts with a `URLSession`; one of your own can pass on to it.
public protocol NotificationTransport: Sendable {
    /// Posts a notification.
    ///
    /// Notifications are delivered one at a time, and the next one waits for the reply, unless ``DeliveryFault`` orders
    /// otherwise.
    ///
    /// - Parameters:
    ///   - body: a JSON object with the member `signedPayload`.
    ///   - url: the URL of the server.
    ///   - reply: receives the result and the HTTP status, nil if there was no response; exactly once, on any thread,
    ///     possibly before this method returns.
    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void)

    /// Posts a request for a retention message, to which the server responds with its choice.
    ///
    /// By default, a `URLSession` posts it.
    ///
    /// - Parameters:
    ///   - body: a JSON object with the member `signedPayload`.
    ///   - url: the URL of the server.
    ///   - timeout: the maximum time of the whole response, in seconds.
    ///   - reply: receives the result, the HTTP status, nil if there was no response, and the response's body; exactly
    ///     once, on any thread, possibly before this method returns.
    func ask(
        _ body: Data,
        at url: URL,
        timeout: TimeInterval,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    )
}

extension NotificationTransport {
    /// Posts a request for a retention message with a `URLSession`.
    public func ask(
        _ body: Data,
        at url: URL,
        timeout: TimeInterval,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) {
        let transport = URLSessionTransport()
        // Retained until the reply.
        transport.ask(body, at: url, timeout: timeout) { result, status, body in
            withExtendedLifetime(transport) { reply(result, status, body) }
        }
    }
}
