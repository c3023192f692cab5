/// The result of a delivery that was tried, in the words of the App Store Server API: an open set.
public struct SendAttemptResult: RawRepresentable, Hashable, Codable, Sendable {
    /// The value in the API's answers.
    public let rawValue: String
    /// Creates a value, which may be one that is not listed here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server took the notification: its HTTP status was one from 200 to 206.
    public static let success = SendAttemptResult(rawValue: "SUCCESS")
    /// The server did not answer in time.
    public static let timedOut = SendAttemptResult(rawValue: "TIMED_OUT")
    /// The server's certificate was refused, or no secure connection came about.
    public static let tlsIssue = SendAttemptResult(rawValue: "TLS_ISSUE")
    /// The server redirected to where the notification came from.
    public static let circularRedirect = SendAttemptResult(rawValue: "CIRCULAR_REDIRECT")
    /// The server answered nothing.
    public static let noResponse = SendAttemptResult(rawValue: "NO_RESPONSE")
    /// No connection came about.
    public static let socketIssue = SendAttemptResult(rawValue: "SOCKET_ISSUE")
    /// The answer was in an unknown character set.
    public static let unsupportedCharset = SendAttemptResult(rawValue: "UNSUPPORTED_CHARSET")
    /// The answer was not HTTP.
    public static let invalidResponse = SendAttemptResult(rawValue: "INVALID_RESPONSE")
    /// The connection ended before the answer did.
    public static let prematureClose = SendAttemptResult(rawValue: "PREMATURE_CLOSE")
    /// The server answered with any other HTTP status.
    public static let unsuccessfulStatus = SendAttemptResult(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Anything else went wrong.
    public static let other = SendAttemptResult(rawValue: "OTHER")
}
