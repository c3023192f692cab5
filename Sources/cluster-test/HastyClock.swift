import Foundation
import StoreCore

/// The system's clock, on which pauses between attempts take a fraction of a second: there are minutes to break things in.
final class HastyClock: StoreClock {
    private static let longestPause = 0.3
    private let clock = SystemClock()

    var now: Date { clock.now }
    var activity: Activity { clock.activity }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: min(moment, now + Self.longestPause), body)
    }
}
