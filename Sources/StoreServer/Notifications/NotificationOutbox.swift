import Foundation
import StoreCore

/// A sender of a store's notifications to a server.
///
/// Each notification is sent at least once: attempts are recorded in the store's ledger, and an attempt is repeated if
/// the process ends before it is recorded.
package final class NotificationOutbox: HistoryListener {
    /// The delays before the App Store's retries in production, in seconds: 1, 12, 24, 48 and 72 hours.
    static let productionDelays: [TimeInterval] = [1, 12, 24, 48, 72].map { $0 * 3600 }
    /// The seconds after which a ledger that could not be read is read again.
    static let patience: TimeInterval = 60

    /// The log of all posts.
    let deliveries: DeliveryLog
    private let view: ServerView
    private let transport: any NotificationTransport
    private let log: StoreLog
    /// Whether an observer learns of failed deliveries, which are not logged then.
    private let isObserved: Bool
    /// The serial queue for all work except the transport's replies, which arrive on any thread.
    ///
    /// It is a queue, not a task, because a test may block every thread of the task pool.
    private let lane = DispatchQueue(label: "StoreServer.NotificationOutbox")
    private static let laneKey = DispatchSpecificKey<ObjectIdentifier>()
    private let state: Locked<State>
    private let rest = NSCondition()

    private struct State {
        var machine: OutboxMachine
        var url: URL?
        var hasStarted = false
        /// Whether the outbox listens to the store's changes.
        var isFollowing = false
        /// The registered work that makes settling the clock wait while notifications are delivered.
        var work: Activity.Work?
        var timer: TimerToken?
        /// The delivery in progress; nil if there is none.
        var delivery: Delivery?
        /// The number of posts so far.
        var posts = 0
        var isStopped = false

        /// Whether no further delivery may begin.
        var isAtRest: Bool { isStopped || url == nil }
    }

    /// The delivery of a notification, which may have several posts.
    private struct Delivery {
        let notification: ServerNotification
        let manner: DeliveryManner
        let url: URL
        /// The posts that have not been made yet, in order; those in an inner array are made at the same time.
        var remaining: ArraySlice<[Post]>
        /// The posts that have no reply yet, by their numbers.
        var awaited: [Int: Post] = [:]
    }

    private struct Post {
        let kind: DeliveryManner.Post
        let notification: ServerNotification
        let body: Data
    }

    init(
        _ view: ServerView,
        url: URL?,
        delays: [TimeInterval]? = nil,
        transport: any NotificationTransport,
        log: StoreLog,
        observer: (@Sendable (DeliveryLine) -> Void)? = nil
    ) {
        self.view = view
        self.transport = transport
        self.log = log
        isObserved = observer != nil
        deliveries = DeliveryLog(view.clock, observer: observer ?? { _ in })
        let delays = delays ?? Self.usualDelays(in: view.environment)
        state = Locked(State(machine: OutboxMachine(delays: delays), url: url))
        lane.setSpecific(key: Self.laneKey, value: ObjectIdentifier(lane))
    }

    /// Begins sending, first the notifications that an earlier outbox has left, then new ones.
    ///
    /// Without a URL, nothing is sent until there is one.
    func start() {
        state.withLock { $0.hasStarted = true }
        follow()
    }

    package func historyChanged() { run() }

    /// Listens to the store if there is something to send it to, and sends what there is.
    private func follow() {
        let begins = state.withLock { state -> Bool in
            guard state.hasStarted, state.url != nil, !state.isFollowing else { return false }
            state.isFollowing = true
            return true
        }
        if begins { view.follow(self) }
        run()
    }

    /// Stops sending.
    ///
    /// Of a delivery with several posts, only those in progress are completed.
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

    // MARK: Settings

    /// The URL that the next attempt goes to; nil to send nothing.
    var url: URL? {
        get { state.withLock { $0.url } }
        set {
            state.withLock { $0.url = newValue }
            follow()
        }
    }

    /// The delays of the App Store in the store's environment.
    var usualDelays: [TimeInterval] { Self.usualDelays(in: view.environment) }

    private static func usualDelays(in environment: String) -> [TimeInterval] {
        environment == "Production" ? productionDelays : []
    }

    /// The seconds from each failed attempt to the next one.
    ///
    /// A new value applies to attempts from now on, and leaves the dates of the retries of earlier ones.
    var delays: [TimeInterval] {
        get { state.withLock { $0.machine.delays } }
        set { state.withLock { $0.machine.delays = newValue } }
    }

    /// Whether a notification is sent again after a response with status 400.
    var retriesAfterBadRequest: Bool {
        get { state.withLock { $0.machine.retriesAfterBadRequest } }
        set { state.withLock { $0.machine.retriesAfterBadRequest = newValue } }
    }

    /// The rules for faulty deliveries.
    var rules: [DeliveryRule] { state.withLock { $0.machine.rules } }

    /// Throws an error if a rule is invalid, or if the store cannot deliver by it.
    func check(_ rule: DeliveryRule) throws {
        try rule.check()
        guard rule.fault == .forged(.foreignRoot) else { return }
        guard try NotificationSigner(view: view).hasCertificates else {
            throw StoreServerError(
                "this store's signer has no chain of certificates, which foreignRoot needs; an AppStoreSigner has one"
            )
        }
    }

    /// Adds a rule, after the others.
    func add(_ rule: DeliveryRule) { state.withLock { $0.machine.add(rule) } }

    /// Replaces the rules, and delivers what earlier rules hold back.
    func replaceRules(_ rules: [DeliveryRule]) {
        let now = view.clock.now
        state.withLock { $0.machine.replaceRules(rules, at: now) }
        run()
    }

    /// Sends a notification once more, without waiting for the response.
    func resend(_ notification: ServerNotification) {
        state.withLock { $0.machine.resend(notification) }
        run()
    }

    // MARK: Steps

    /// Performs all steps that are due, unless another call is performing them.
    private func run() {
        // Registers the work before the caller continues, so settling the clock after a change waits for its
        // notification.
        let begins = state.withLock { state -> Bool in
            state.machine.ring()
            guard state.hasStarted, !state.isAtRest, state.work == nil else { return false }
            state.work = view.clock.activity.begin()
            return true
        }
        if begins { lane.async { self.proceed() } }
    }

    private func proceed() {
        while true {
            let now = view.clock.now
            let quirks = view.quirks
            let (step, isTwice, url) = state.withLock { state in
                state.machine.setQuirks(quirks, at: now)
                guard !state.isAtRest, let url = state.url else { return (OutboxMachine.Step.idle, false, nil as URL?) }
                return (state.machine.step(at: now), state.machine.isTwice, url)
            }
            guard let url else { return pause(until: nil) }
            switch step {
            case .read(let position):
                do {
                    let notifications = try view.notifications(after: position, limit: 64)
                    state.withLock { $0.machine.take(notifications) }
                } catch {
                    return wait(after: error, at: now)
                }
            case .deliver(let notification, let manner):
                return deliver(notification, to: url, manner, isTwice: isTwice)
            case .deliverAgain(let position, let manner):
                do {
                    if let notification = try view.notification(at: position) {
                        return deliver(notification, to: url, manner, isTwice: isTwice)
                    }
                    // Nothing waits for a notification that the ledger has lost.
                    state.withLock { $0.machine.forget(position) }
                } catch {
                    state.withLock { $0.machine.postpone() }
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

    // MARK: Deliveries

    private func deliver(_ notification: ServerNotification, to url: URL, _ manner: DeliveryManner, isTwice: Bool) {
        if manner.posts.isEmpty { return omit(notification, to: url, manner, .noResponse) }
        let genuine: Data
        do {
            genuine = try body(notification)
        } catch {
            log("a notification cannot be signed: \(error)")
            return omit(notification, to: url, manner, .other, isLogged: true)
        }
        let kinds = manner.posts + (isTwice ? [[.copy]] : [])
        let posts = kinds.map { $0.compactMap { post($0, notification, genuine) } }
        state.withLock {
            $0.delivery = Delivery(notification: notification, manner: manner, url: url, remaining: posts[...])
        }
        post()
    }

    /// Records an attempt without a post.
    private func omit(
        _ notification: ServerNotification,
        to url: URL,
        _ manner: DeliveryManner,
        _ result: SendAttemptResult,
        isLogged: Bool = false
    ) {
        let name = manner.name(of: .genuine)
        deliveries.add(notification, to: url, name, isAttempt: true, status: nil, result)
        record(notification, result, status: nil, isLogged: isLogged)
        // Not called directly, since there may be very many such notifications.
        lane.async { self.proceed() }
    }

    /// Returns a post; nil for an additional one that cannot be signed or read.
    private func post(_ kind: DeliveryManner.Post, _ notification: ServerNotification, _ genuine: Data) -> Post? {
        do {
            switch kind {
            case .genuine, .copy: return Post(kind: kind, notification: notification, body: genuine)
            case .earlier:
                let earlier = try view.notification(before: notification.position)
                return try earlier.map { Post(kind: kind, notification: $0, body: try body($0)) }
            case .forged(let forgery):
                return Post(kind: kind, notification: notification, body: try body(notification, forgery))
            }
        } catch {
            log("a notification cannot be posted in addition: \(error)")
            return nil
        }
    }

    private func body(_ notification: ServerNotification, _ forgery: DeliveryFault.Forgery? = nil) throws -> Data {
        try NotificationSigner(view: view, forgery: forgery).body(notification)
    }

    /// Makes the next posts of the delivery in progress, or ends the delivery if there are none or the outbox stops.
    private func post() {
        let next = state.withLock { state -> (url: URL, posts: [Int: Post])? in
            while !state.isStopped, let posts = state.delivery?.remaining.popFirst() {
                guard !posts.isEmpty, let url = state.delivery?.url else { continue }
                let numbered = zip(1..., posts).map { (state.posts + $0, $1) }
                state.posts += posts.count
                let awaited = Dictionary(uniqueKeysWithValues: numbered)
                state.delivery?.awaited = awaited
                return (url, awaited)
            }
            state.delivery = nil
            return nil
        }
        guard let next else { return proceed() }
        for (number, post) in next.posts.sorted(by: { $0.key < $1.key }) {
            transport.post(post.body, to: next.url) { result, status in
                self.lane.async { self.finish(number, result, status: status) }
            }
        }
    }

    private func finish(_ number: Int, _ result: SendAttemptResult, status: Int?) {
        let found = state.withLock { state -> (post: Post, delivery: Delivery)? in
            // A faulty transport may reply more than once.
            guard let post = state.delivery?.awaited.removeValue(forKey: number) else { return nil }
            return state.delivery.map { (post, $0) }
        }
        guard let (post, delivery) = found else { return }
        let isAttempt = post.kind == .genuine
        let isTooLate = isAttempt && delivery.manner == .faulty(.slow) && (status != nil || result == .success)
        let result = isTooLate ? .timedOut : result
        deliveries.add(
            post.notification,
            to: delivery.url,
            delivery.manner.name(of: post.kind),
            isAttempt: isAttempt,
            status: status,
            result
        )
        if isAttempt { record(delivery.notification, result, status: isTooLate ? nil : status) }
        if delivery.awaited.isEmpty { self.post() }
    }

    private func record(
        _ notification: ServerNotification,
        _ result: SendAttemptResult,
        status: Int?,
        isLogged: Bool = false
    ) {
        if result != .success, !isLogged, !isObserved {
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
        state.withLock { $0.machine.attempted(notification.position, result, status: status, at: now) }
    }

    /// Pauses, and ends the registered work, until the store changes or a date is reached.
    ///
    /// - Parameters:
    ///   - date: the date of the next step; nil for none.
    ///   - readsAgain: whether to continue immediately if the store has changed in the meantime.
    private func pause(until date: Date?, readsAgain: Bool = true) {
        let timer = date.map { date in view.clock.schedule(at: date) { [weak self] in self?.run() } }
        let (unused, work, isStale) = state.withLock { state -> (TimerToken?, Activity.Work?, Bool) in
            if state.isAtRest { return (timer, state.work.take(), false) }
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
