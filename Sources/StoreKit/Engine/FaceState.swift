import StoreCore

/// A signal to a subscriber that it can take something, which wakes it if it waits.
///
/// Changes of a face's state leave signals, and ``FaceState`` sends them once its lock is free. To wake a task takes a lock that
/// the runtime holds while it cancels the task; the end of the task's iteration, which is part of that, waits for the face's lock.
struct Signal: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    /// Ends the subscriber's iteration; to be called without a lock.
    func finish() { continuation.finish() }

    fileprivate func send() { continuation.yield() }
}

/// A face's state, accessible with its lock held; what a change leaves to be signaled is signaled once the lock is free.
final class FaceState: Sendable {
    private let state = Locked(StoreFace.State())

    /// Runs `body` with the lock held, then sends the signals that it has left in the state.
    @inline(__always)
    func withLock<R>(_ body: (inout StoreFace.State) throws -> R) rethrows -> R {
        var signals: [Signal] = []
        defer { if !signals.isEmpty { for signal in signals { signal.send() } } }
        return try state.withLock { state in
            defer { if !state.signals.isEmpty { swap(&signals, &state.signals) } }
            return try body(&state)
        }
    }
}
