import Foundation
import StoreCore

/// The clock of a process that may crash: none of its timers fires afterwards.
///
/// Without this a store that crashed in the middle of a year would go on retrying its ledger, every minute of the year.
final class MortalClock: StoreClock {
    private let clock: ManualClock
    private let pulse: ProcessState

    init(_ clock: ManualClock, _ pulse: ProcessState) {
        self.clock = clock
        self.pulse = pulse
    }

    var now: Date { clock.now }
    var activity: Activity { clock.activity }

    @discardableResult
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: moment) { [pulse] in if !pulse.isDead { body() } }
    }
}
