import Foundation
import StoreCore

/// The logic of an outbox, which decides which notification is sent next and how, and when a failed one is sent again.
///
/// First attempts are made in the order of the ledger, except for those that a rule holds back. A failed notification
/// is retried after each of the delays, and does not hold up other notifications. Apart from the rules, and from the
/// HTTP statuses of responses, the whole state is in the ledger, so a new machine continues where another one ended.
struct OutboxMachine {
    /// The next step of an outbox.
    enum Step {
        /// Read the notifications in the ledger after a position.
        case read(after: ServerNotification.Position?)
        case deliver(ServerNotification, DeliveryManner)
        /// Deliver the notification at a position, which has to be read again.
        case deliverAgain(ServerNotification.Position, DeliveryManner)
        case wait(until: Date)
        /// Wait until the ledger may have more notifications.
        case idle
    }

    /// A notification to send later, without its content: while a server is away, there may be very many.
    private struct Retry {
        var due: Date
        let position: ServerNotification.Position
        /// The number of attempts that have failed; 0 for a first attempt that was held back.
        let failures: Int
        var manner = DeliveryManner.normal
        /// The quirk that causes the manner; nil for a rule, and for a normal delivery.
        var quirk: StoreQuirk.Kind?
    }

    /// The seconds from each failed attempt to the next one.
    var delays: [TimeInterval]
    /// Whether a notification is sent again after a response with status 400.
    var retriesAfterBadRequest = true
    /// The store's quirks, of which those of notifications apply.
    private(set) var quirks: Set<StoreQuirk> = []
    /// The rules for faulty deliveries.
    private(set) var rules: [DeliveryRule] = []
    private var position: ServerNotification.Position?
    /// The position of the first notification; nil until it is read.
    private var first: ServerNotification.Position?
    /// Whether all notifications in the ledger have been read.
    private(set) var isCaughtUp = false
    /// Whether the ledger may have got notifications since the step that reads it was requested.
    private var hasRung = false
    /// Notifications whose delivery has not been attempted yet, in the ledger's order.
    private var fresh: ArraySlice<ServerNotification> = []
    /// The notification that is delivered after the next first attempt; nil if there is none.
    private var reordered: Retry?
    /// Notifications to send again on request.
    private var resends: ArraySlice<ServerNotification> = []
    /// Notifications to send later, in queues that are each sorted by the date.
    ///
    /// No queue is empty. Notifications with the same number of failures usually share a queue, since they have the
    /// same delay.
    private var retries: [Deque<Retry>] = []
    /// The delivery that the last step requested; nil if its outcome is known.
    private var underway: (retry: Retry, isFresh: Bool)?

    init(delays: [TimeInterval]) { self.delays = delays }

    /// Notes that the ledger may have more notifications.
    mutating func ring() { (isCaughtUp, hasRung) = (false, true) }

    /// Returns the next step to take at the date `now`.
    ///
    /// The outcome of a delivery has to be passed on before the next call: to ``attempted(_:_:status:at:)``,
    /// ``forget(_:)`` or ``postpone()``.
    mutating func step(at now: Date) -> Step {
        while true {
            if let notification = resends.popFirst() {
                drop(notification.position)
                let failures = notification.attempts.count
                let retry = Retry(due: now, position: notification.position, failures: failures, manner: .resent)
                underway = (retry, isFresh: false)
                return .deliver(notification, .resent)
            }
            if let queue = earliest, retries[queue][0].due <= now {
                let retry = retries[queue].removeFirst()
                if retries[queue].isEmpty { retries.remove(at: queue) }
                underway = (retry, isFresh: false)
                return .deliverAgain(retry.position, retry.manner)
            }
            guard let next = fresh.popFirst() else { break }
            var retry = Retry(due: now, position: next.position, failures: 0)
            let ruled = rules.takeFault(ofType: next.type) { fault in
                switch fault {
                case .reordered: reordered == nil
                case .replayed: next.position != first
                default: true
                }
            }
            let quirky = ruled == nil ? quirkyFault : nil
            retry.quirk = quirky?.quirk
            let fault = ruled ?? quirky?.fault
            if let fault { retry.manner = .faulty(fault) }
            switch fault {
            case .reordered: reordered = retry
            case .late(let seconds):
                retry.due = now.addingTimeInterval(seconds)
                insert(retry)
            default:
                underway = (retry, isFresh: true)
                return .deliver(next, retry.manner)
            }
        }
        if !isCaughtUp {
            hasRung = false
            return .read(after: position)
        }
        return earliest.map { .wait(until: retries[$0][0].due) } ?? .idle
    }

    /// The fault that a quirk causes in the next first attempt; nil for none.
    ///
    /// A notification that is sent twice has no fault here: it may be late as well.
    private var quirkyFault: (fault: DeliveryFault, quirk: StoreQuirk.Kind)? {
        if quirks.contains(.notifiesOutOfOrder), reordered == nil { return (.reordered, .notifiesOutOfOrder) }
        return quirks[.notifiesLate]?.seconds.map { (.late(seconds: $0), .notifiesLate) }
    }

    /// Whether a quirk makes the delivery that the last step requested twice: a first attempt to which no rule applies.
    var isTwice: Bool {
        guard quirks.contains(.notifiesTwice), let attempt = underway?.retry, attempt.failures == 0 else {
            return false
        }
        return attempt.manner == .normal || attempt.quirk != nil
    }

    /// The index of the queue with the earliest retry; nil if there are no retries.
    private var earliest: Int? { retries.indices.min { retries[$0][0].due < retries[$1][0].due } }

    /// Adds the notifications that were read from the ledger.
    ///
    /// An empty array means that there are no more, unless the machine was rung during the read.
    mutating func take(_ notifications: [ServerNotification]) {
        guard let last = notifications.last else {
            isCaughtUp = !hasRung
            return
        }
        first = first ?? notifications.first?.position
        position = last.position
        for notification in notifications {
            guard let attempt = notification.attempts.last else {
                fresh.append(notification)
                continue
            }
            let retry = Retry(
                due: attempt.date,
                position: notification.position,
                failures: notification.attempts.count - 1
            )
            schedule(retry, after: attempt.result)
        }
    }

    /// Records the outcome of the delivery that the last step requested.
    ///
    /// - Parameters:
    ///   - position: the position of the notification.
    ///   - result: the result of the attempt.
    ///   - status: the HTTP status of the response; nil for none.
    ///   - now: the date of the attempt.
    mutating func attempted(
        _ position: ServerNotification.Position,
        _ result: SendAttemptResult,
        status: Int? = nil,
        at now: Date
    ) {
        guard let done = underway, done.retry.position == position else { return }
        underway = nil
        var isFirst = done.isFresh
        if case .faulty(.late) = done.retry.manner { isFirst = true }
        if isFirst, var waiting = reordered.take() {
            waiting.due = now
            insert(waiting)
        }
        if status == 400, !retriesAfterBadRequest || quirks.contains(.badRequestIsFinal) { return }
        var attempt = done.retry
        attempt.due = now
        schedule(attempt, after: result.rawValue)
    }

    /// Drops the delivery that the last step requested, whose notification does not exist.
    mutating func forget(_ position: ServerNotification.Position) {
        if underway?.retry.position == position { underway = nil }
    }

    /// Returns the delivery that the last step requested to those that are due, since it cannot be made now.
    mutating func postpone() {
        if let retry = underway.take()?.retry { insert(retry) }
    }

    // MARK: Requests

    /// Adds a notification to those that are sent at once, whatever its attempts.
    ///
    /// It is not sent again when it would have been otherwise, but after a further failure as after any other.
    mutating func resend(_ notification: ServerNotification) { resends.append(notification) }

    /// Adds a rule, after the others.
    mutating func add(_ rule: DeliveryRule) { rules.append(rule) }

    /// Replaces the rules, and makes due what earlier rules hold back.
    mutating func replaceRules(_ rules: [DeliveryRule], at now: Date) {
        self.rules = rules
        release(at: now) { $0.quirk == nil }
        if underway?.retry.quirk == nil { underway?.retry.manner = .normal }
    }

    /// Removes the rules, and makes due the notification that waits for the next one; planned deliveries stay.
    mutating func endRules(at now: Date) {
        rules = []
        if let waiting = reordered, waiting.quirk == nil {
            reordered = nil
            insert(Retry(due: now, position: waiting.position, failures: 0))
        }
    }

    /// Replaces the quirks, and makes due what those that are over hold back.
    mutating func setQuirks(_ quirks: Set<StoreQuirk>, at now: Date) {
        guard quirks != self.quirks else { return }
        self.quirks = quirks
        release(at: now) { $0.quirk.map { quirks[$0] == nil } ?? false }
    }

    /// Makes planned deliveries normal, and due if they are first attempts.
    private mutating func release(at now: Date, where isOver: (Retry) -> Bool) {
        var all = retries.flatMap { queue in (0..<queue.count).map { queue[$0] } }
        if var waiting = reordered, isOver(waiting) {
            reordered = nil
            waiting.due = now
            all.append(waiting)
        }
        for index in all.indices where isOver(all[index]) {
            if all[index].failures == 0 { all[index].due = min(all[index].due, now) }
            all[index].manner = .normal
            all[index].quirk = nil
        }
        retries = []
        for retry in all.sorted(by: { ($0.due, $0.position) < ($1.due, $1.position) }) { insert(retry) }
    }

    // MARK: Retries

    /// Removes every planned delivery of a notification.
    private mutating func drop(_ position: ServerNotification.Position) {
        fresh.removeAll { $0.position == position }
        if reordered?.position == position { reordered = nil }
        for index in retries.indices { retries[index].filter { $0.position != position } }
        retries.removeAll(where: \.isEmpty)
    }

    /// Plans the retry after an attempt, unless the attempt was successful or the last one.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, whose date is `due`.
    ///   - result: the attempt's result.
    private mutating func schedule(_ attempt: Retry, after result: String) {
        guard result != SendAttemptResult.success.rawValue, attempt.failures < delays.count else { return }
        insert(
            Retry(
                due: attempt.due.addingTimeInterval(delays[attempt.failures]),
                position: attempt.position,
                failures: attempt.failures + 1,
                manner: attempt.manner == .faulty(.never) ? attempt.manner : .normal
            )
        )
    }

    private mutating func insert(_ retry: Retry) {
        let queue = retries.firstIndex { $0[$0.count - 1].due <= retry.due } ?? retries.endIndex
        if queue == retries.endIndex { retries.append(Deque()) }
        retries[queue].append(retry)
    }
}
