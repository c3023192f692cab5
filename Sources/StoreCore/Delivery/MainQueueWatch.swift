import Foundation

/// A watchdog that warns once if callbacks wait long for a main queue that is not drained.
///
/// Without the warning, a test that waits on a semaphore on the main thread would get neither callbacks nor an
/// explanation. Only one check is pending at a time, however many callbacks are enqueued.
package final class MainQueueWatch: Sendable {
    package typealias Later = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    package static let shared = MainQueueWatch { seconds, look in
        DispatchQueue.watchdogs.asyncAfter(deadline: .now() + seconds, execute: look)
    }

    private let later: Later
    private let state = Locked(State())

    /// - Parameter later: runs a closure after a number of seconds.
    package init(later: @escaping Later) { self.later = later }

    private struct State {
        var patience: TimeInterval = 5
        var scheduled = 0
        /// The value of `scheduled` when callbacks last began.
        var begun = 0
        var isLooking = false
        var hasWarned = false
    }

    /// The delay of the warning in seconds, variable for tests.
    package var patience: TimeInterval {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    /// Records that callbacks were enqueued on the main queue.
    package func scheduled(_ log: StoreLog) {
        let patience = state.withLock { state -> TimeInterval? in
            state.scheduled += 1
            guard !state.isLooking, !state.hasWarned else { return nil }
            state.isLooking = true
            return state.patience
        }
        if let patience { look(in: patience, log) }
    }

    /// Records that callbacks run on the main queue, or on its thread in a call that waits for the store to settle.
    package func begun() { state.withLock { $0.begun = $0.scheduled } }

    private func look(in patience: TimeInterval, _ log: StoreLog) {
        let scheduled = state.withLock { $0.scheduled }
        later(patience) { [self] in
            let (mustWarn, mustLookAgain) = state.withLock { state in
                if state.begun >= scheduled {
                    state.isLooking = state.begun < state.scheduled
                    return (false, state.isLooking)
                }
                state.isLooking = false
                state.hasWarned = true
                return (true, false)
            }
            if mustWarn { log(Self.warning) }
            if mustLookAgain { look(in: patience, log) }
        }
    }

    private static let warning = """
        callbacks have waited long for the main queue: something keeps the main thread, as a semaphore does, or the \
        program has no run loop; wait with XCTest's wait(for:), with await, with RunLoop.main.run() or dispatchMain(), \
        or deliver elsewhere (StoreDelivery.inline, .queue)
        """
}
