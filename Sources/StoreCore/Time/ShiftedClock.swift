import Foundation

/// A clock that runs with the system's, and can be moved ahead of it.
///
/// Moving it is like moving a ``ManualClock``: due timers fire one by one, with the time set to each deadline.
/// Afterwards it stays ahead of the system's clock by the same amount.
package final class ShiftedClock: MovableClock, RunningClock {
    private let clock: ManualClock
    private let state: Locked<State>
    /// The lock held while the clock is moved.
    ///
    /// Recursive, so that a timer that moves the clock does not deadlock here, but traps in ``ManualClock``.
    private let moving = NSRecursiveLock()

    fileprivate struct State {
        var offset: TimeInterval
        /// The time at which the current move began; nil if the clock is not being moved.
        var start: Date?
        var alarm: DispatchWorkItem?
    }

    /// The longest time until the next check of the system's clock, which may be set at any time.
    private static let longestSleep: TimeInterval = 3600

    /// Creates a clock.
    ///
    /// - Parameter moment: the earliest start, such as the time of a ledger's last event; nil for the system's time.
    package init(notBefore moment: Date? = nil) {
        let now = Date()
        let start = max(now, moment ?? now)
        clock = ManualClock(startingAt: start)
        state = Locked(State(offset: start.timeIntervalSince(now)))
    }

    deinit { state.withLock { $0.alarm.take() }?.cancel() }

    package var activity: Activity { clock.activity }

    package var now: Date {
        // Timers that fire late set the manual clock to their deadlines, but must not set this clock back.
        state.withLock { max(clock.now, $0.start ?? $0.systemTime) }
    }

    /// The seconds by which this clock is ahead of the system's clock.
    package var lead: TimeInterval? { max(0, now.timeIntervalSinceNow) }

    @discardableResult
    package func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        defer { setAlarm() }
        return clock.schedule(at: moment, body)
    }

    package func advanceThrowing(by interval: TimeInterval) throws {
        try move { now in
            guard interval >= 0 else {
                throw ClockError("a clock does not run backwards: asked for \(interval) seconds")
            }
            return now.addingTimeInterval(interval)
        }
    }

    package func advanceThrowing(to moment: Date) throws { try advanceThrowing(by: moment.timeIntervalSince(now)) }

    private func move(to target: (Date) throws -> Date) throws {
        moving.lock()
        defer { moving.unlock() }
        let (former, start) = state.withLock { state in
            let (former, start) = (state.start, max(clock.now, state.start ?? state.systemTime))
            state.start = start
            return (former, start)
        }
        defer {
            state.withLock { state in
                state.start = former
                // This clock stood still during the move, but retains at least its former lead.
                state.offset = max(state.offset, clock.now.timeIntervalSinceNow)
            }
            setAlarm()
        }
        let moment = try target(start)
        if moment > clock.now { try clock.advanceThrowing(to: moment) }
    }

    /// Schedules an alarm that fires the next timer when it is due.
    private func setAlarm() {
        state.withLock { state in
            // The thread that is moving the clock will set the alarm when it has finished.
            guard state.start == nil else { return }
            state.alarm.take()?.cancel()
            guard let next = clock.nextDeadline else { return }
            let seconds = min(max(0, next.timeIntervalSince(state.systemTime)), Self.longestSleep)
            let alarm = DispatchWorkItem { [weak self] in self?.catchUp() }
            state.alarm = alarm
            DispatchQueue.timers.asyncAfter(wallDeadline: .now() + seconds, execute: alarm)
        }
    }

    private func catchUp() {
        do {
            try move { $0 }
        } catch {
            // After a long suspension of the process, the store objects to the move if a subscription would renew too
            // often. The store catches up at its next call; after that, the move succeeds.
            state.withLock { state in
                let alarm = DispatchWorkItem { [weak self] in self?.catchUp() }
                state.alarm.take()?.cancel()
                state.alarm = alarm
                DispatchQueue.timers.asyncAfter(wallDeadline: .now() + 1, execute: alarm)
            }
        }
    }
}

extension ShiftedClock.State {
    fileprivate var systemTime: Date { Date(timeIntervalSinceNow: offset) }
}
