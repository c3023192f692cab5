import Foundation
import StoreCore

/// A clock that rings without waiting for anybody: for those who keep others waiting.
final class ImpatientClock: StoreClock {
    let activity = Activity()
    private let state: Locked<State>

    private struct State {
        var now = Date(timeIntervalSince1970: 1_735_689_600)
        var number = 0
        var timers: [(number: Int, moment: Date, body: @Sendable () -> Void)] = []
    }

    init() { state = Locked(State()) }

    var now: Date { state.withLock { $0.now } }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let number = state.withLock { state in
            state.number += 1
            state.timers.append((state.number, moment, body))
            return state.number
        }
        return TimerToken { [state] in state.withLock { $0.timers.removeAll { $0.number == number } } }
    }

    /// How many timers are set.
    var timers: Int { state.withLock { $0.timers.count } }

    /// Moves on and runs what is due, on the calling thread.
    func ring(after interval: TimeInterval) {
        let due = state.withLock { state in
            state.now += interval
            let due = state.timers.filter { $0.moment <= state.now }
            state.timers.removeAll { $0.moment <= state.now }
            return due
        }
        for timer in due { timer.body() }
    }
}

/// A clock whose timers come late, as a system's may.
final class LateClock: StoreClock {
    let activity = Activity()
    private let time: Locked<Date>

    init(_ start: Date = ManualClock().now) { time = Locked(start) }

    var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken { TimerToken {} }
}
