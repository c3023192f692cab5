import Foundation
import StoreCore

/// The decisions of an outbox: which notification is sent next, and when one is sent again.
///
/// First deliveries are made in the order of the ledger. One that fails is tried again after each of the delays, and nothing waits
/// for it. All that it knows is in the ledger, so that a new machine goes on where another ended.
struct OutboxMachine {
    /// What there is to do.
    enum Step {
        /// Read what the ledger has behind a position.
        case read(after: ServerNotification.Position?)
        case deliver(ServerNotification)
        case wait(until: Date)
        /// Nothing, until something happens.
        case idle
    }

    private struct Retry {
        let due: Date
        let notification: ServerNotification
        /// The number of attempts that have failed.
        let failures: Int
    }

    /// The seconds from each failure to the next attempt.
    private let delays: [TimeInterval]
    private var position: ServerNotification.Position?
    /// Whether all that the ledger had was read.
    private(set) var isCaughtUp = false
    /// What was never sent, in its order.
    private var fresh: ArraySlice<ServerNotification> = []
    /// What is to be sent again, in queues that each have the earliest date first; none is empty.
    ///
    /// What failed as often goes to the same queue as a rule, since each delay is the same for all.
    private var retries: [Deque<Retry>] = []

    init(delays: [TimeInterval]) { self.delays = delays }

    /// Notes that the ledger may have more.
    mutating func ring() { isCaughtUp = false }

    /// Returns what is to be done at a moment.
    func step(at now: Date) -> Step {
        let retry = earliest.map { retries[$0][0] }
        if let retry, retry.due <= now { return .deliver(retry.notification) }
        if let next = fresh.first { return .deliver(next) }
        if !isCaughtUp { return .read(after: position) }
        return retry.map { .wait(until: $0.due) } ?? .idle
    }

    /// The queue of what is to be sent again first.
    private var earliest: Int? { retries.indices.min { retries[$0][0].due < retries[$1][0].due } }

    /// Takes the notifications behind the position that was read; none if there are no more.
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
            schedule(notification, after: attempt.result, at: attempt.date, failures: notification.attempts.count)
        }
    }

    /// Notes the outcome of a delivery, which was a step.
    mutating func attempted(_ notification: ServerNotification, _ result: SendAttemptResult, at now: Date) {
        var failures = 1
        if fresh.first?.position == notification.position {
            fresh.removeFirst()
        } else if let queue = earliest, retries[queue][0].notification.position == notification.position {
            failures += retries[queue].removeFirst().failures
            if retries[queue].isEmpty { retries.remove(at: queue) }
        }
        schedule(notification, after: result.rawValue, at: now, failures: failures)
    }

    private mutating func schedule(
        _ notification: ServerNotification,
        after result: String,
        at date: Date,
        failures: Int
    ) {
        guard result != SendAttemptResult.success.rawValue, failures <= delays.count else { return }
        let due = date.addingTimeInterval(delays[failures - 1])
        let queue = retries.firstIndex { $0[$0.count - 1].due <= due } ?? retries.endIndex
        if queue == retries.endIndex { retries.append(Deque()) }
        retries[queue].append(Retry(due: due, notification: notification, failures: failures))
    }
}

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
