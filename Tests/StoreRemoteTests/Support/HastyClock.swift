import Foundation
import StoreCore

/// The system's clock, on which pauses pass five hundred times as fast: a queue that tries again does so soon.
final class HastyClock: StoreClock {
    private let clock = SystemClock()

    var now: Date { clock.now }
    var activity: Activity { clock.activity }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: now + max(0, moment.timeIntervalSince(now)) / 500, body)
    }
}
