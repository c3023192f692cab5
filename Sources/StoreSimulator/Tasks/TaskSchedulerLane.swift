@_spi(ExperimentalScheduling) import _Concurrency

/// An executor of a ``TaskScheduler``, which also decides when its tasks have slept.
///
/// A lane is never freed: tasks refer to their executor without owning it, and one that the app's own thread resumes may
/// come when the scheduler is gone.
final class TaskSchedulerLane: SerialExecutor, SchedulingExecutor {
    // Set once, before the lane is used. Jobs that come later than the scheduler's last are lost.
    nonisolated(unsafe) private weak var scheduler: TaskScheduler?

    init() { _ = Unmanaged.passRetained(self) }

    func attach(_ scheduler: TaskScheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) { scheduler?.enqueue(UnownedJob(job), on: self) }

    func enqueue(_ job: UnownedJob) { scheduler?.enqueue(job, on: self) }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        scheduler?.enqueue(UnownedJob(job), on: self, after: Self.seconds(delay))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        scheduler?.enqueue(UnownedJob(job), on: self, after: Self.seconds(clock.now.duration(to: instant)))
    }

    /// Returns a duration in seconds, 0 for one of another clock's own type.
    private static func seconds<D: DurationProtocol>(_ duration: D) -> Double {
        guard let duration = duration as? Duration else { return 0 }
        let (seconds, attoseconds) = duration.components
        // What remains of a duration differs with each run.
        return ((Double(seconds) + Double(attoseconds) * 1e-18) * 100).rounded(.up) / 100
    }
}
