import Foundation
import StoreCore

/// The state of a process: whether it has crashed.
///
/// Each launch has its own.
final class ProcessState: @unchecked Sendable {  // unchecked: a run uses one thread
    var hasCrashed = false

    /// The error that a crashed process gets from its disk.
    struct Crashed: Error {}
}

/// The clock of a process that may crash: none of its timers fires afterwards.
///
/// Without this a store that crashed in the middle of a year would go on retrying its ledger, every minute of the year.
final class ProcessClock: StoreClock {
    private let clock: ManualClock
    private let process: ProcessState

    init(_ clock: ManualClock, _ process: ProcessState) {
        self.clock = clock
        self.process = process
    }

    var now: Date { clock.now }
    var activity: Activity { clock.activity }

    @discardableResult
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: moment) { [process] in if !process.hasCrashed { body() } }
    }
}
