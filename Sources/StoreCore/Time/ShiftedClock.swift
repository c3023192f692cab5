import Foundation

/// A clock that runs with the system's, and can be moved ahead of it or stopped.
///
/// Moving it is like moving a ``ManualClock``: due timers fire one by one, with the time set to each deadline.
/// Afterwards its distance from the system's clock stays the same, until it is moved or stopped again.
package final class ShiftedClock: MovableClock, RunningClock {
    private let clock: ManualClock
    private let state: Locked<State>
    /// The lock held while the clock is moved.
    ///
    /// Recursive, so that a timer that moves the clock does not deadlock here, but traps in ``ManualClock``.
    private let moving = NSRecursiveLock()

    fileprivate struct State {
        /// The seconds by which the clock is ahead of the system's while it runs; negative if it is behind.
        var offset: TimeInterval
        /// The time at which the clock stands still; nil while it runs.
        var stop: Date?
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

    /// Creates a clock at any moment.
    ///
    /// - Parameters:
    ///   - moment: the clock's time.
    ///   - isRunning: whether the clock runs from then on.
    package init(startingAt moment: Date, isRunning: Bool) {
        clock = ManualClock(startingAt: moment)
        state = Locked(State(offset: moment.timeIntervalSinceNow, stop: isRunning ? nil : moment))
    }

    deinit { state.withLock { $0.alarm.take() }?.cancel() }

    package var activity: Activity { clock.activity }

    package var now: Date {
        // Timers that fire late set the manual clock to their deadlines, but must not set this clock back.
        state.withLock { max(clock.now, $0.start ?? $0.runningTime) }
    }

    /// The seconds by which this clock is ahead of the system's clock; nil while it stands still.
    package var lead: TimeInterval? { isRunning ? max(0, now.timeIntervalSinceNow) : nil }

    /// Whether the clock runs with the system's.
    ///
    /// A clock that is stopped stands still until it is moved. Started again, it runs on from its own time.
    package var isRunning: Bool {
        get { state.withLock { $0.stop == nil } }
        set {
            // Waits for the end of a move, which decides the time.
            moving.lock()
            defer { moving.unlock() }
            let alarm = state.withLock { state -> DispatchWorkItem? in
                guard newValue != (state.stop == nil) else { return nil }
                let now = max(clock.now, state.start ?? state.runningTime)
                state.offset = now.timeIntervalSinceNow
                state.stop = newValue ? nil : now
                return newValue ? nil : state.alarm.take()
            }
            alarm?.cancel()
            setAlarm()
        }
    }

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

    package func advanceThrowing(to moment: Date) throws {
        try move { now in
            guard moment >= now else {
                throw ClockError("a clock does not run backwards: it shows \(now), asked for \(moment)")
            }
            return moment
        }
    }

    private func move(to target: (Date) throws -> Date) throws {
        moving.lock()
        defer { moving.unlock() }
        let (former, start) = state.withLock { state in
            let (former, start) = (state.start, max(clock.now, state.start ?? state.runningTime))
            state.start = start
            return (former, start)
        }
        defer {
            state.withLock { state in
                state.start = former
                if let stop = state.stop {
                    state.stop = max(stop, clock.now)
                } else {
                    // This clock stood still during the move, but retains at least its former lead.
                    state.offset = max(state.offset, clock.now.timeIntervalSinceNow)
                }
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
            guard state.start == nil, state.stop == nil else { return }
            state.alarm.take()?.cancel()
            guard let next = clock.nextDeadline else { return }
            let seconds = min(max(0, next.timeIntervalSince(state.runningTime)), Self.longestSleep)
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
    /// The time of a clock that is not being moved.
    fileprivate var runningTime: Date { stop ?? Date(timeIntervalSinceNow: offset) }
}
