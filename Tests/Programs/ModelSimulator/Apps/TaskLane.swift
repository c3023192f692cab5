import StoreCore

/// The executor of the tasks of a run's apps: one thread, in an order that follows from the run alone.
///
/// Apps use Store Kit 2's own asynchronous code. A task that prefers an executor runs there, and comes back there when it is
/// continued; only `purchase(options:)` is the main actor's, so that apps call what is behind it. The jobs wait until an
/// operation is over or the clock moves, as on an ``OperationLane``. No thread of Swift's own takes part.
final class TaskLane: TaskExecutor, ActivityMember, @unchecked Sendable {  // unchecked: a run uses one thread
    private var jobs: [UnownedJob] = []
    private var work = 0

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
        work += 1
    }

    /// Runs the next job.
    ///
    /// Returns false if there is none.
    func drainHere() -> Bool {
        if jobs.isEmpty { return false }
        jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    var pulse: (isQuiet: Bool, work: Int) { (jobs.isEmpty, work) }
    var retainable: (any ActivityPulse)? { self }
    var waitingFor: [String] { [] }
}
