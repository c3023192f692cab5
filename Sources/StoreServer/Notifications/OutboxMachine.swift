import Foundation
import StoreCore

/// The logic of an outbox, which decides which notification is sent next, and when a failed one is sent again.
///
/// First attempts are made in the order of the ledger. A failed notification is retried after each of the delays, and
/// does not hold up other notifications. The whole state is in the ledger, so a new machine continues where another one
/// ended.
struct OutboxMachine {
    /// The next step of an outbox.
    enum Step {
        /// Read the notifications in the ledger after a position.
        case read(after: ServerNotification.Position?)
        case deliver(ServerNotification)
        /// Deliver the notification at a position, whose delivery has failed before.
        case deliverAgain(ServerNotification.Position)
        case wait(until: Date)
        /// Wait until the ledger may have more notifications.
        case idle
    }

    /// A notification to send again, without its content: while a server is away, there may be very many.
    private struct Retry {
        let due: Date
        let position: ServerNotification.Position
        /// The number of attempts that have failed.
        let failures: Int
    }

    /// The seconds from each failed attempt to the next one.
    private let delays: [TimeInterval]
    private var position: ServerNotification.Position?
    /// Whether all notifications in the ledger have been read.
    private(set) var isCaughtUp = false
    /// Notifications whose delivery has not been attempted yet, in the ledger's order.
    private var fresh: ArraySlice<ServerNotification> = []
    /// Failed notifications, in queues that are each sorted by the date of the retry.
    ///
    /// No queue is empty. Notifications with the same number of failures usually share a queue, since they have the
    /// same delay.
    private var retries: [Deque<Retry>] = []

    init(delays: [TimeInterval]) { self.delays = delays }

    /// Notes that the ledger may have more notifications.
    mutating func ring() { isCaughtUp = false }

    /// Returns the next step to take at the date `now`.
    func step(at now: Date) -> Step {
        let retry = earliest.map { retries[$0][0] }
        if let retry, retry.due <= now { return .deliverAgain(retry.position) }
        if let next = fresh.first { return .deliver(next) }
        if !isCaughtUp { return .read(after: position) }
        return retry.map { .wait(until: $0.due) } ?? .idle
    }

    /// The index of the queue with the earliest retry; nil if there are no retries.
    private var earliest: Int? { retries.indices.min { retries[$0][0].due < retries[$1][0].due } }

    /// Adds the notifications that were read from the ledger.
    ///
    /// An empty array means that there are no more.
    mutating func take(_ notifications: [ServerNotification]) {
        guard let last = notifications.last else {
            isCaughtUp = true
            return
        }
        position = last.position
        for notification in notifications {
            guard let attempt = notification.attempts.last else {
                fresh.append(notification)
                continue
            }
            let failures = notification.attempts.count
            schedule(notification.position, after: attempt.result, at: attempt.date, failures: failures)
        }
    }

    /// Records the outcome of the delivery that the last step requested.
    mutating func attempted(_ position: ServerNotification.Position, _ result: SendAttemptResult, at now: Date) {
        var failures = 1
        if fresh.first?.position == position { fresh.removeFirst() } else { failures += removeRetry(of: position) }
        schedule(position, after: result.rawValue, at: now, failures: failures)
    }

    /// Drops the retry that the last step requested, whose notification does not exist.
    mutating func forget(_ position: ServerNotification.Position) { _ = removeRetry(of: position) }

    /// Removes the earliest retry if it is of this notification, and returns the number of failures before it.
    private mutating func removeRetry(of position: ServerNotification.Position) -> Int {
        guard let queue = earliest, retries[queue][0].position == position else { return 0 }
        defer { if retries[queue].isEmpty { retries.remove(at: queue) } }
        return retries[queue].removeFirst().failures
    }

    private mutating func schedule(
        _ position: ServerNotification.Position,
        after result: String,
        at date: Date,
        failures: Int
    ) {
        guard result != SendAttemptResult.success.rawValue, failures <= delays.count else { return }
        let due = date.addingTimeInterval(delays[failures - 1])
        let queue = retries.firstIndex { $0[$0.count - 1].due <= due } ?? retries.endIndex
        if queue == retries.endIndex { retries.append(Deque()) }
        retries[queue].append(Retry(due: due, position: position, failures: failures))
    }
}

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
