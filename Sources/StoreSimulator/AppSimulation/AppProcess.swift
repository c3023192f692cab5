import Foundation
import StoreCore
import Synchronization

/// The simulated process of one launch, which may be killed at a boundary.
///
/// There is a boundary before and after each call into Store Kit that reaches the store, each batch of updates, each
/// write to the journal, each write to the app's storage, and each request to the app's server. A launch that calls the
/// store directly has fewer boundaries, and is killed at none of them. The code of a killed process runs on until it
/// waits, but has no effect.
final class AppProcess: Sendable {
    /// A place where a process may be killed.
    enum Boundary: String, CaseIterable, Sendable {
        case call = "a call to the store"
        case answer = "an answer of the store"
        case update = "an update"
        case journal = "a write of the queue"
        case storage = "a write to the storage"
        case request = "a request to the server"
        case response = "an answer of the server"
    }

    /// The condition of a process.
    struct Condition {
        fileprivate(set) var isDead = false
        /// Whether the process was killed because its work did not end.
        fileprivate(set) var isExhausted = false
        /// A sentence about the first invalid operation of the app; nil if there was none.
        fileprivate(set) var fault: String?
        /// The number of boundaries that the process has reached, including those after it was killed.
        fileprivate(set) var reached = 0
        /// Whether a request to the app's server had no answer.
        fileprivate(set) var hasLostRequest = false
        /// The number of calls from threads that are not the simulation's, such as threads that the app has created.
        fileprivate(set) var escapes = 0

        fileprivate mutating func exhaust() { (isDead, isExhausted) = (true, true) }
    }

    private struct State {
        var condition = Condition()
        var countdown = 0
        var killedAt: Boundary?
        var killPlace: String?
        /// The number of boundaries that the process may still reach at the current moment.
        var patience = AppProcess.patience
        var moment = Date.distantPast
    }

    /// The number of boundaries that a process may reach at one moment, far more than a correct app does.
    private static let patience = 10_000

    private let state = Locked(State())
    private let spared = Atomic<Bool>(false)
    private let scheduler: TaskScheduler
    private let afterlife: Afterlife

    init(_ scheduler: TaskScheduler, _ afterlife: Afterlife) {
        self.scheduler = scheduler
        self.afterlife = afterlife
    }

    /// The replies for which the code of killed processes still waits.
    ///
    /// The replies are sent only at the end of the life, since code that retries after a failure would retry forever.
    final class Afterlife: Sendable {
        private let replies = Locked<[@Sendable () -> Void]?>([])

        fileprivate func add(_ reply: @escaping @Sendable () -> Void) { replies.withLock { $0?.append(reply) } }

        /// Sends the pending replies, and drops all further ones.
        func close() {
            answer()
            replies.withLock { $0 = nil }
        }

        /// Sends the pending replies.
        func answer() {
            let waiting = replies.withLock { replies in
                defer { if replies != nil { replies = [] } }
                return replies ?? []
            }
            for reply in waiting { reply() }
        }
    }

    /// Stores a reply to a request of a killed process.
    ///
    /// The reply is sent at the end of the life, and ends the tasks that wait for it.
    func lose(_ reply: @escaping @Sendable () -> Void) { afterlife.add(reply) }

    /// The error in the replies to requests of killed processes.
    static let lost = StoreFailure.network(.networkConnectionLost, "the app was killed")

    /// Forwards a request and its reply while the process runs.
    ///
    /// - Parameters:
    ///   - name: the request in words, as in `a request for products`.
    ///   - reply: receives the reply.
    ///   - call: makes the request.
    func ask<Answer: Sendable>(
        _ name: StaticString,
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        guard pass(.call, "before \(name)") else { return lose { reply(.failure(Self.lost)) } }
        call { answer in
            if self.pass(.answer, "after the store's answer to \(name), before it arrived") {
                reply(answer)
            } else {
                self.lose { reply(.failure(Self.lost)) }
            }
        }
    }

    /// Forwards a request whose reply is nil for success.
    func ask(
        _ name: StaticString,
        _ reply: @escaping @Sendable (StoreFailure?) -> Void,
        _ call: (@escaping @Sendable (StoreFailure?) -> Void) -> Void
    ) {
        ask(name, { (answer: Result<Void, StoreFailure>) in reply(answer.failure) }) { answered in
            call { answered($0.map { .failure($0) } ?? .success(())) }
        }
    }

    /// Whether the process cannot be killed now, because the simulation is querying the app.
    var isSpared: Bool {
        get { spared.load(ordering: .relaxed) }
        set { spared.store(newValue, ordering: .relaxed) }
    }
    var isDead: Bool { state.withLock { $0.condition.isDead } }
    /// The boundary at which the process was killed; nil if it was killed at none.
    var killedAt: Boundary? { state.withLock { $0.killedAt } }
    /// The boundary at which the process was killed, in words; nil if it was killed at none.
    var killPlace: String? { state.withLock { $0.killPlace } }
    /// The process's condition now.
    var condition: Condition { state.withLock { $0.condition } }
    /// Records an invalid operation of the app, unless one is already recorded.
    func fail(_ sentence: String) { state.withLock { if $0.condition.fault == nil { $0.condition.fault = sentence } } }

    /// Whether the calling thread is that of the process's life.
    var isOnItsThread: Bool { TaskScheduler.current === scheduler }
    func noteLostRequest() { state.withLock { $0.condition.hasLostRequest = true } }

    /// Arranges that the process is killed at the n-th boundary from now, counted from 1.
    func arm(after count: Int) { state.withLock { $0.countdown = max(count, 1) } }
    func disarm() { state.withLock { $0.countdown = 0 } }
    func kill() { state.withLock { $0.condition.isDead = true } }
    /// Restores the number of allowed boundaries at a new moment; returns the process's condition.
    func replenish() -> Condition {
        state.withLock { state in
            state.patience = Self.patience
            return state.condition
        }
    }
    /// Kills the process, because its work does not end.
    func exhaust() { state.withLock { $0.condition.exhaust() } }

    /// Passes a boundary.
    ///
    /// - Parameters:
    ///   - boundary: the kind of boundary.
    ///   - place: the boundary in words, as in `before a request for products`.
    /// - Returns: whether the process still runs.
    @discardableResult
    func pass(_ boundary: Boundary, _ place: @autoclosure () -> String) -> Bool {
        guard let isAlive = reach(boundary) else {
            let place = place()
            state.withLock { $0.killPlace = place }
            return false
        }
        return isAlive
    }

    /// Counts a boundary; returns whether the process still runs, nil if it is killed here.
    private func reach(_ boundary: Boundary) -> Bool? {
        let isForeign = TaskScheduler.current !== scheduler
        if isForeign { StrayCalls.note() }
        let moment = scheduler.now
        return state.withLock { state in
            state.condition.reached += 1
            if isForeign { state.condition.escapes += 1 }
            if state.condition.isDead { return false }
            if state.moment != moment { (state.moment, state.patience) = (moment, Self.patience) }
            state.patience -= 1
            if state.patience == 0 {
                state.condition.exhaust()
                return false
            }
            guard state.countdown > 0, !isSpared else { return true }
            state.countdown -= 1
            guard state.countdown == 0 else { return true }
            (state.condition.isDead, state.killedAt) = (true, boundary)
            return nil
        }
    }
}

// Boundaries in words.
extension [StoreCommand] {
    /// The first command as a noun, as in `the purchase of sword`.
    var noun: String {
        switch first?.action {
        case .purchase(let payment): "the purchase of \(payment.productIdentifier)"
        case .finish: "the call of finish()"
        case .restore: "the restore"
        case nil: "nothing"
        }
    }

    /// The beginning of the first command as a clause, as in `finish() was called`.
    var beginning: String {
        switch first?.action {
        case .purchase, nil: "\(noun) was begun"
        case .finish: "finish() was called"
        case .restore: "a restore was begun"
        }
    }
}

extension UpdateBatch {
    /// The first update as a noun, as in `an update of sword`.
    var noun: String {
        for case .transaction(let transaction) in updates {
            return "an update of \(transaction.payment.productIdentifier)"
        }
        return "an update"
    }
}

extension Result<Void, StoreFailure> {
    var failure: StoreFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
