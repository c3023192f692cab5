import StoreCore

/// The background lane of an app whose run uses one thread.
///
/// Work waits until the operation is over or the clock moves, so that observers hear what they can hear before it is
/// done.
final class OperationLane: LaneExecutor, ActivityMember, @unchecked Sendable {  // unchecked: a run uses one thread
    private var waiting: [@Sendable () -> Void] = []
    private var work = 0

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        waiting.append(work)
        self.work += 1
    }

    /// Runs the waiting work.
    ///
    /// Returns false if there is none.
    func drainHere() -> Bool {
        guard !waiting.isEmpty else { return false }
        waiting.removeFirst()()
        return true
    }

    var pulse: (isQuiet: Bool, work: Int) { (waiting.isEmpty, work) }
    var retainable: (any ActivityPulse)? { self }
    var waitingFor: [String] { [] }
}
