import StoreCore
@_spi(ExperimentalScheduling) import _Concurrency

/// An executor of a ``TaskScheduler``, which also decides when its tasks have slept.
///
/// A lane is never freed: tasks refer to their executor without owning it, and one that the app's own thread resumes may
/// come when the scheduler is gone. It serves another scheduler when some thousand others have done so.
final class TaskSchedulerLane: SerialExecutor, TaskExecutor, SchedulingExecutor {
    private struct WeakScheduler { weak var scheduler: TaskScheduler? }

    // Jobs that come later than the scheduler's last are lost.
    private let scheduler = Locked(WeakScheduler())

    private init() { _ = Unmanaged.passRetained(self) }

    private struct Pool {
        var retired: [TaskSchedulerLane] = []
        /// Those that have waited, last the one that has waited longest.
        var ready: [TaskSchedulerLane] = []
    }

    private static let pool = Locked(Pool())
    /// The number of lanes that wait, so that what was late for one scheduler does not come to the next.
    private static let waiting = 4_096

    /// Returns a lane that serves no scheduler.
    static func next() -> TaskSchedulerLane {
        let lane = pool.withLock { pool -> TaskSchedulerLane? in
            if pool.ready.isEmpty, pool.retired.count >= 2 * waiting {
                pool.ready = pool.retired.prefix(waiting).reversed()
                pool.retired.removeFirst(waiting)
            }
            return pool.ready.popLast()
        }
        return lane ?? TaskSchedulerLane()
    }

    func retire() { Self.pool.withLock { $0.retired.append(self) } }

    func attach(_ scheduler: TaskScheduler) { self.scheduler.withLock { $0.scheduler = scheduler } }

    private var attached: TaskScheduler? { scheduler.withLock { $0.scheduler } }

    func enqueue(_ job: consuming ExecutorJob) { attached?.enqueue(UnownedJob(job), on: self) }

    func enqueue(_ job: UnownedJob) { attached?.enqueue(job, on: self) }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        attached?.enqueue(UnownedJob(job), on: self, after: Self.seconds(delay))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        attached?.enqueue(UnownedJob(job), on: self, after: Self.seconds(clock.now.duration(to: instant)))
    }

    /// Returns a duration in seconds, 0 for one of another clock's own type.
    private static func seconds<D: DurationProtocol>(_ duration: D) -> Double {
        guard let duration = duration as? Duration else { return 0 }
        let (seconds, attoseconds) = duration.components
        // What remains of a duration differs with each run.
        return ((Double(seconds) + Double(attoseconds) * 1e-18) * 100).rounded(.up) / 100
    }
}
