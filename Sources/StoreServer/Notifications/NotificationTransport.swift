import Foundation

/// A way to post notifications to a server.
///
/// A test may replace it, for example to simulate failures.
///
/// ``URLSessionTransport`` is used by default.
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
}
