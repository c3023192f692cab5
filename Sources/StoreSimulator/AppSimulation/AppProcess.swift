import Foundation
import StoreCore

/// The process of one launch, which may be killed at a boundary.
///
/// A boundary lies before and after each call into Store Kit that reaches the store, each batch of updates, each write to
/// the journal and each write to the app's storage. The code of a killed process runs on until it waits, but nothing that
/// it does has any effect.
final class AppProcess: Sendable {
    /// A place where a process may be killed.
    enum Boundary: String, CaseIterable, Sendable {
        case call = "a call to the store"
        case answer = "an answer of the store"
        case update = "an update"
        case journal = "a write of the queue"
        case storage = "a write to the storage"
    }

    private struct State {
        var isDead = false
        var countdown = 0
        var killedAt: Boundary?
        var escapes = 0
        /// Whether it may not be killed at a boundary for now.
        var isSpared = false
        /// The number of boundaries that may still be passed at this moment.
        var patience = AppProcess.patience
        var moment = Date.distantPast
        var isExhausted = false
        var fault: String?
    }

    /// Far more boundaries than an app passes at one moment.
    private static let patience = 10_000

    private let state = Locked(State())
    private let scheduler: TaskScheduler
    private let afterlife: Afterlife

    init(_ scheduler: TaskScheduler, _ afterlife: Afterlife) {
        self.scheduler = scheduler
        self.afterlife = afterlife
    }

    /// The questions that killed processes still wait for.
    ///
    /// None is answered before the life is over: code that tries again when something fails would try forever.
    final class Afterlife: Sendable {
        private let replies = Locked<[@Sendable () -> Void]?>([])

        fileprivate func add(_ reply: @escaping @Sendable () -> Void) { replies.withLock { $0?.append(reply) } }

        /// Answers what waits, and drops what is asked from now on.
        func close() {
            answer()
            replies.withLock { $0 = nil }
        }

        /// Answers what waits.
        func answer() {
            let waiting = replies.withLock { replies in
                defer { if replies != nil { replies = [] } }
                return replies ?? []
            }
            for reply in waiting { reply() }
        }
    }

    /// Keeps a reply to what a killed process still asks, so that in the end none of its tasks waits.
    func lose(_ reply: @escaping @Sendable () -> Void) { afterlife.add(reply) }

    /// The error in such replies.
    static let lost = StoreFailure.network(.networkConnectionLost, "the app was killed")

    /// Passes on a question and its answer, as long as the process lives.
    func ask<Answer: Sendable>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        guard pass(.call) else { return lose { reply(.failure(Self.lost)) } }
        call { answer in
            if self.pass(.answer) { reply(answer) } else { self.lose { reply(.failure(Self.lost)) } }
        }
    }

    /// The same for an answer that is nil unless something failed.
    func ask(
        _ reply: @escaping @Sendable (StoreFailure?) -> Void,
        _ call: (@escaping @Sendable (StoreFailure?) -> Void) -> Void
    ) {
        ask({ (answer: Result<Void, StoreFailure>) in reply(answer.failure) }) { answered in
            call { answered($0.map { .failure($0) } ?? .success(())) }
        }
    }

    /// Whether it is not killed at a boundary for now, since the simulation asks the app something.
    var isSpared: Bool { state.withLock { $0.isSpared } }
    var isDead: Bool { state.withLock { $0.isDead } }
    /// The boundary at which it was killed, nil for none.
    var killedAt: Boundary? { state.withLock { $0.killedAt } }
    /// Whether it was killed since it never came to rest.
    var isExhausted: Bool { state.withLock { $0.isExhausted } }
    /// What the app cannot do, in a sentence.
    var fault: String? { state.withLock { $0.fault } }
    /// Notes what the app cannot do; the first counts.
    func fail(_ sentence: String) { state.withLock { if $0.fault == nil { $0.fault = sentence } } }
    /// The number of calls from threads of the app's own.
    var escapes: Int { state.withLock { $0.escapes } }

    /// Has the process killed at the n-th boundary from now, counted from 1.
    func arm(after count: Int) { state.withLock { $0.countdown = max(count, 1) } }
    func disarm() { state.withLock { $0.countdown = 0 } }
    func kill() { state.withLock { $0.isDead = true } }
    /// Lets as many boundaries be passed as at a new moment.
    func replenish() { state.withLock { $0.patience = Self.patience } }
    /// Calls a body, during which the process is not killed at a boundary.
    func spared<R>(_ body: () throws -> R) rethrows -> R {
        state.withLock { $0.isSpared = true }
        defer { state.withLock { $0.isSpared = false } }
        return try body()
    }
    /// Kills the process, which goes on forever.
    func exhaust() { state.withLock { ($0.isDead, $0.isExhausted) = (true, true) } }

    /// Passes a boundary; returns whether the process lives on.
    @discardableResult
    func pass(_ boundary: Boundary) -> Bool {
        let isForeign = TaskScheduler.current !== scheduler
        if isForeign { StrayCalls.note() }
        let moment = scheduler.now
        return state.withLock { state in
            if isForeign { state.escapes += 1 }
            if state.isDead { return false }
            if state.moment != moment { (state.moment, state.patience) = (moment, Self.patience) }
            state.patience -= 1
            if state.patience == 0 {
                (state.isDead, state.isExhausted) = (true, true)
                return false
            }
            guard state.countdown > 0, !state.isSpared else { return true }
            state.countdown -= 1
            guard state.countdown == 0 else { return true }
            (state.isDead, state.killedAt) = (true, boundary)
            return false
        }
    }
}

extension Result<Void, StoreFailure> {
    var failure: StoreFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
