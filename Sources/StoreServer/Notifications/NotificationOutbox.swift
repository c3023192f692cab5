import Foundation
import StoreCore

/// A sender of a store's notifications to a server.
///
/// Each notification is sent at least once: attempts are recorded in the store's ledger, and an attempt is repeated if
/// the process ends before it is recorded.
final class NotificationOutbox: HistoryListener {
    /// The delays before the App Store's retries in production, in seconds: 1, 12, 24, 48 and 72 hours.
    static let productionDelays: [TimeInterval] = [1, 12, 24, 48, 72].map { $0 * 3600 }
    /// The seconds after which a ledger that could not be read is read again.
    static let patience: TimeInterval = 60

    private let view: ServerView
    private let signer: NotificationSigner
    private let url: URL
    private let transport: any NotificationTransport
    private let log: StoreLog
    /// The serial queue for all work except the transport's replies, which arrive on any thread.
    ///
    /// It is a queue, not a task, because a test may block every thread of the task pool.
    private let lane = DispatchQueue(label: "StoreServer.NotificationOutbox")
    private static let laneKey = DispatchSpecificKey<ObjectIdentifier>()
    private let state: Locked<State>
    private let rest = NSCondition()

    private struct State {
        var machine: OutboxMachine
        /// The registered work that makes settling the clock wait while notifications are delivered.
        var work: Activity.Work?
        var timer: TimerToken?
        /// The position of the notification that is being delivered; nil if there is none.
        var delivery: ServerNotification.Position?
        var isStopped = false
    }

    init(_ view: ServerView, url: URL, delays: [TimeInterval], transport: any NotificationTransport, log: StoreLog) {
        self.view = view
        signer = NotificationSigner(view: view)
        self.url = url
        self.transport = transport
        self.log = log
        state = Locked(State(machine: OutboxMachine(delays: delays)))
        lane.setSpecific(key: Self.laneKey, value: ObjectIdentifier(lane))
    }

    /// Begins sending, first the notifications that an earlier outbox has left, then new ones.
    func start() {
        view.follow(self)
        run()
    }

    func historyChanged() { run() }

    /// Stops sending.
    ///
    /// - Parameters:
    ///   - waits: whether to wait until the delivery in progress has been recorded.
    ///   - seconds: the maximum seconds to wait.
    func stop(waits: Bool, atMost seconds: TimeInterval = 5) {
        let timer = state.withLock { state in
            state.isStopped = true
            return state.timer.take()
        }
        timer?.cancel()
        // Returns if called from this queue, as by a transport that stops its own server: the queue must not wait for
        // itself.
        guard waits, DispatchQueue.getSpecific(key: Self.laneKey) != ObjectIdentifier(lane) else { return }
        let isDone = { [state] in state.withLock { $0.work == nil } }
        rest.lock()
        let end = Date(timeIntervalSinceNow: seconds)
        while !isDone(), rest.wait(until: end) {}
        rest.unlock()
        // Skipped while a delivery is in progress, since a transport that blocks in `post` occupies the queue without
        // limit.
        if isDone() { lane.sync {} }
    }

    /// Performs all steps that are due, unless another call is performing them.
    private func run() {
        // Registers the work before the caller continues, so settling the clock after a change waits for its
        // notification.
        let begins = state.withLock { state -> Bool in
            state.machine.ring()
            guard !state.isStopped, state.work == nil else { return false }
            state.work = view.clock.activity.begin()
            return true
        }
        if begins { lane.async { self.proceed() } }
    }

    private func proceed() {
        while true {
            let now = view.clock.now
            let step = state.withLock { $0.isStopped ? .idle : $0.machine.step(at: now) }
            switch step {
            case .read(let position):
                do {
                    let notifications = try view.notifications(after: position, limit: 64)
                    state.withLock { $0.machine.take(notifications) }
                } catch {
                    return wait(after: error, at: now)
                }
            case .deliver(let notification): return deliver(notification)
            case .deliverAgain(let position):
                do {
                    if let notification = try view.notification(at: position) { return deliver(notification) }
                    // Nothing waits for a notification that the ledger has lost.
                    state.withLock { $0.machine.forget(position) }
                } catch {
                    return wait(after: error, at: now)
                }
            case .wait(let date): return pause(until: date)
            case .idle: return pause(until: nil)
            }
        }
    }

    private func wait(after error: any Error, at now: Date) {
        log("notifications wait: the ledger cannot be read: \(error)")
        pause(until: now.addingTimeInterval(Self.patience), readsAgain: false)
    }

    private func deliver(_ notification: ServerNotification) {
        state.withLock { $0.delivery = notification.position }
        let body: Data
        do {
            body = AnswerValue.object(["signedPayload": .text(try signer.signedPayload(notification))]).json
        } catch {
            log("a notification cannot be signed: \(error)")
            return lane.async { self.finish(notification, .other, isLogged: true) }
        }
        transport.post(body, to: url) { result in self.lane.async { self.finish(notification, result) } }
    }

    private func finish(_ notification: ServerNotification, _ result: SendAttemptResult, isLogged: Bool = false) {
        // A faulty transport may reply more than once.
        let isFirst = state.withLock { $0.delivery == notification.position && $0.delivery.take() != nil }
        guard isFirst else { return }
        if result != .success, !isLogged {
            log(
                "the notification \(notification.type) \(notification.identifier) was not delivered: \(result.rawValue)"
            )
        }
        do {
            try view.recordAttempt(result.rawValue, at: notification.position)
        } catch {
            // Without the record, the next outbox sends the notification again.
            log("the delivery of a notification cannot be recorded in the ledger: \(error)")
        }
        let now = view.clock.now
        state.withLock { $0.machine.attempted(notification.position, result, at: now) }
        proceed()
    }

    /// Pauses, and ends the registered work, until the store changes or a date is reached.
    ///
    /// - Parameters:
    ///   - date: the date of the next step; nil for none.
    ///   - readsAgain: whether to continue immediately if the store has changed in the meantime.
    private func pause(until date: Date?, readsAgain: Bool = true) {
        let timer = date.map { date in view.clock.schedule(at: date) { [weak self] in self?.run() } }
        let (unused, work, isStale) = state.withLock { state -> (TimerToken?, Activity.Work?, Bool) in
            if state.isStopped { return (timer, state.work.take(), false) }
            if readsAgain, !state.machine.isCaughtUp { return (timer, nil, true) }
            let old = state.timer
            state.timer = timer
            return (old, state.work.take(), false)
        }
        unused?.cancel()
        if isStale { return proceed() }
        work?.end()
        rest.lock()
        rest.broadcast()
        rest.unlock()
    }
}
