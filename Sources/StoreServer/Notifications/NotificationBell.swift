import StoreCore

/// A listener to a store's history for whom a task waits.
final class NotificationBell: HistoryListener {
    private struct State {
        var rings = 0
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Locked(State())

    /// The number of rings until now.
    var rings: Int { state.withLock { $0.rings } }

    func historyChanged() {
        let waiting = state.withLock { state in
            state.rings += 1
            return state.waiting.take()
        }
        waiting?.resume(returning: true)
    }

    /// Waits for a ring after a number of them.
    ///
    /// - Returns: false once the task is canceled.
    func wait(since rings: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.rings != rings { return true }
                    state.waiting = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(returning: false)
        }
    }
}
