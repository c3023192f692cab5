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
    }

    private let state = Locked(State())
    private let scheduler: TaskScheduler

    init(_ scheduler: TaskScheduler) { self.scheduler = scheduler }

    var isDead: Bool { state.withLock { $0.isDead } }
    /// The boundary at which it was killed, nil for none.
    var killedAt: Boundary? { state.withLock { $0.killedAt } }
    /// The number of calls from threads of the app's own.
    var escapes: Int { state.withLock { $0.escapes } }

    /// Has the process killed at the n-th boundary from now, counted from 1.
    func arm(after count: Int) { state.withLock { $0.countdown = max(count, 1) } }
    func disarm() { state.withLock { $0.countdown = 0 } }
    func kill() { state.withLock { $0.isDead = true } }

    /// Passes a boundary; returns whether the process lives on.
    @discardableResult
    func pass(_ boundary: Boundary) -> Bool {
        let isForeign = TaskScheduler.current !== scheduler
        return state.withLock { state in
            if isForeign { state.escapes += 1 }
            if state.isDead { return false }
            guard state.countdown > 0 else { return true }
            state.countdown -= 1
            guard state.countdown == 0 else { return true }
            (state.isDead, state.killedAt) = (true, boundary)
            return false
        }
    }
}
