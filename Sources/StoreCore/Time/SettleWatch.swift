import Foundation

/// A watch that logs one line when settling waits long for callbacks that do not end.
///
/// A callback deadlocks if it waits for a thread that settles or moves the clock: each waits for the other. One check
/// is under way at a time, however many threads settle.
package final class SettleWatch: Sendable {
    /// A function that runs a closure after a number of seconds.
    package typealias Later = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    private let later: Later
    private let state = Locked(State())

    private struct State {
        var patience: TimeInterval = 5
        var isLooking = false
        var hasWarned = false
    }

    /// Makes a watch that checks after some seconds of the system's time.
    package convenience init() {
        self.init { seconds, look in
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds, execute: look)
        }
    }

    /// - Parameter later: runs a closure after a number of seconds.
    package init(later: @escaping Later) { self.later = later }

    /// The seconds that a callback may take while a thread settles; for tests.
    package var patience: TimeInterval {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    /// Starts a check; called by a thread that begins to wait for an activity, and is counted there.
    func waits(_ activity: Activity) {
        let patience = state.withLock { state -> TimeInterval? in
            guard !state.isLooking, !state.hasWarned else { return nil }
            state.isLooking = true
            return state.patience
        }
        guard let patience else { return }
        let before = activity.callbacksUnderWay.map(\.id)
        later(patience) { [weak self, weak activity] in
            guard let self else { return }
            state.withLock { $0.isLooking = false }
            guard let activity, activity.isAwaited else { return }
            let now = activity.callbacksUnderWay
            guard let stuck = now.first(where: { before.contains($0.id) }) else {
                // Other callbacks may not return either.
                return waits(activity)
            }
            let mustWarn = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            if mustWarn { stuck.log(Self.warning) }
        }
    }

    private static let warning = """
        settling has waited long for callbacks that have not ended: a callback that waits for another thread, which \
        settles or moves the clock, waits for ever, since that thread waits for the callback; let the callback return, \
        and settle or move the clock afterwards
        """
}
