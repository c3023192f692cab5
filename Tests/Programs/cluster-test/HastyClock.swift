import Foundation
import StoreCore

/// A clock ahead of the system's, on which pauses between attempts take a fraction of a second: there are minutes to break
/// things in.
final class HastyClock: StoreClock {
    private static let longestPause = 0.3
    private let clock = SystemClock()
    private let lead: TimeInterval

    init(lead: TimeInterval) { self.lead = lead }

    var now: Date { clock.now + lead }
    var activity: Activity { clock.activity }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: min(moment - lead, clock.now + Self.longestPause), body)
    }
}
