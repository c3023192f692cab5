/// The result of an attempted delivery, in the terms of the App Store Server API.
public struct SendAttemptResult: RawRepresentable, Hashable, Codable, Sendable {
    /// The value in the API's responses.
    public let rawValue: String
    /// Creates a result with any value, even one that is not listed here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server accepted the notification: its HTTP status was one from 200 to 206.
    public static let success = SendAttemptResult(rawValue: "SUCCESS")
    /// The server did not respond in time.
    public static let timedOut = SendAttemptResult(rawValue: "TIMED_OUT")
    /// The server's certificate was refused, or no secure connection could be established.
    public static let tlsIssue = SendAttemptResult(rawValue: "TLS_ISSUE")
    /// The server redirected to the URL to which the notification was posted.
    public static let circularRedirect = SendAttemptResult(rawValue: "CIRCULAR_REDIRECT")
    /// The server sent no response.
    public static let noResponse = SendAttemptResult(rawValue: "NO_RESPONSE")
    /// No connection could be established.
    public static let socketIssue = SendAttemptResult(rawValue: "SOCKET_ISSUE")
    /// The response was in an unknown character set.
    public static let unsupportedCharset = SendAttemptResult(rawValue: "UNSUPPORTED_CHARSET")
    /// The response was not HTTP.
    public static let invalidResponse = SendAttemptResult(rawValue: "INVALID_RESPONSE")
    /// The connection ended before the response was complete.
    public static let prematureClose = SendAttemptResult(rawValue: "PREMATURE_CLOSE")
    /// The server's response had any other HTTP status.
    public static let unsuccessfulStatus = SendAttemptResult(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Any other failure.
    public static let other = SendAttemptResult(rawValue: "OTHER")
}
