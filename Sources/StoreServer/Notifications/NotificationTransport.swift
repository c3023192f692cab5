import Foundation

/// A way to post notifications to a server, for tests of what happens if it fails.
///
/// ``URLSessionTransport`` is the one that is used unless another is given.
public protocol NotificationTransport: Sendable {
    /// Posts a notification.
    ///
    /// One at a time; the next one waits for the reply.
    ///
    /// - Parameters:
    ///   - body: the JSON object with the `signedPayload`.
    ///   - url: the URL of the server.
    ///   - reply: takes the result, exactly once, on any thread, also before this returns.
    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult) -> Void)
}
