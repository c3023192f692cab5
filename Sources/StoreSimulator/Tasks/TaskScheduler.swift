import CDispatchHooks
import Foundation
import StoreCore
import Synchronization

#if !canImport(Darwin)
    @_spi(ExperimentalScheduling) import _Concurrency
#endif

/// A scheduler that runs the Swift tasks of one thread on that thread, in an order that follows from their code alone.
///
/// Jobs of all actors, the main actor included, run first in, first out, when the thread calls ``drain()``. A sleeping
/// task is resumed when the clock has advanced far enough. With glibc, blocks that the tasks' code submits to dispatch
/// queues are jobs as well (``ScheduledQueues``). Threads that the code creates are not scheduled.
final class TaskScheduler: ActivityMember, Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, lane: TaskSchedulerLane)] = []
        var next = 0
        var work = 0
        var foreignJobs = 0
        /// The number of jobs that may still run at this moment.
        var budget = TaskScheduler.budget
        /// The number of jobs that may still run after the budget is used up, to complete work that others wait for.
        var overtime = TaskScheduler.budget
        var moment = Date.distantPast
        var isExhausted = false
        /// The closures that wake sleeping tasks, by number.
        var sleepers: [Int: (wake: @Sendable () -> Void, timer: TimerToken, moment: Date)] = [:]
        var sleeperCount = 0
        /// The closures that wake tasks that were asleep when their process was killed.
        var stranded: [@Sendable () -> Void] = []
    }

    /// The maximum number of jobs at one moment, far more than an app needs.
    private static let budget = 100_000

    private let state = Locked(State())
    private let clock: ManualClock
    /// A closure that ends the cause of endless jobs.
    ///
    /// It is called when the budget is used up, at most once for each ``replenish()``. After as many jobs again, no
    /// further job runs.
    private let stop: @Sendable () -> Void
    /// A closure that ends the code's process because of an operation that has no end, described in a sentence.
    let fail: @Sendable (String) -> Void
    /// A closure that returns whether the code's process has ended, after which the code has no effect.
    private let isEnded: @Sendable () -> Bool
    /// The call in which the code blocks the thread; nil if it does not.
    let blockingCall = Locked<String?>(nil)
    /// The executor of a running job.
    enum Place { case main, calls, other }
    /// The executor of the innermost job that is running; used by the scheduler's thread only.
    nonisolated(unsafe) private(set) var place = Place.other
    /// The number of the main actor's jobs that are running, one inside another; used by the scheduler's thread only.
    nonisolated(unsafe) private var mainJobs = 0
    /// The bits of the time to which waits have moved the scheduler's time, in seconds since 2001.
    private let aheadBits = Atomic<UInt64>(0)
    private let hasBegunThreads = Atomic<Bool>(false)
    /// The number of threads that have a scheduler.
    private static let boundThreads = Atomic<Int>(0)
    /// Whether other threads have schedulers, whose code may hold what the calling code waits for.
    static var hasOthers: Bool { boundThreads.load(ordering: .relaxed) > 1 }
    /// The number of waits of an ended process that may still end at once.
    nonisolated(unsafe) private var lastWaits = TaskScheduler.budget
    #if canImport(Glibc)
        /// The blocks that the thread's code has submitted to dispatch queues.
        let queues = ScheduledQueues()
        /// The timers that the thread's code has created.
        let timers = ScheduledTimers()
    #endif
    /// The executor of tasks without an actor, and of all actors except the main actor, unless a task prefers another
    /// executor.
    let general = TaskSchedulerLane.next()
    /// The main actor's executor.
    let main = TaskSchedulerLane.next()
    /// The preferred executor of the tasks that ``run(_:)`` begins, and of their child tasks.
    let calls = TaskSchedulerLane.next()
    /// The preferred executor of the tasks that run blocks of other queues than the main one.
    ///
    /// Such a task begins in one job, where one without a preference takes a second job to leave the general executor.
    let blocks = TaskSchedulerLane.next()

    init(
        clock: ManualClock,
        stop: @escaping @Sendable () -> Void = {},
        fail: @escaping @Sendable (String) -> Void = { _ in },
        isEnded: @escaping @Sendable () -> Bool = { false }
    ) {
        self.clock = clock
        self.stop = stop
        self.fail = fail
        self.isEnded = isEnded
        general.attach(self)
        main.attach(self)
        calls.attach(self)
        blocks.attach(self)
        clock.activity.register(self)
    }

    deinit {
        general.retire()
        main.retire()
        calls.retire()
        blocks.retire()
    }

    func enqueue(_ job: UnownedJob, on lane: TaskSchedulerLane) {
        let isForeign = TaskScheduler.current !== self
        state.withLock { state in
            state.jobs.append((job, lane))
            state.work += 1
            if isForeign { state.foreignJobs += 1 }
        }
    }

    /// Enqueues a job once the clock has advanced by some seconds.
    func enqueue(_ job: UnownedJob, on lane: TaskSchedulerLane, after seconds: TimeInterval) {
        if seconds <= 0 { return enqueue(job, on: lane) }
        sleep(until: now + seconds) { [weak self] in self?.enqueue(job, on: lane) }
    }

    /// The time by the scheduler's clock, or a later one to which a wait has lasted.
    var now: Date { max(clock.now, ahead) }

    private var ahead: Date {
        get { Date(timeIntervalSinceReferenceDate: Double(bitPattern: aheadBits.load(ordering: .relaxed))) }
        set { aheadBits.store(newValue.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed) }
    }

    /// Whether the code of this life has begun other threads, which the scheduler does not know.
    var hasThreads: Bool { hasBegunThreads.load(ordering: .relaxed) }
    func noteThread() { hasBegunThreads.store(true, ordering: .relaxed) }

    /// Whether the budget of this moment is used up.
    var isExhausted: Bool { state.withLock { $0.isExhausted } }

    /// Restores the budget of jobs at a new moment.
    ///
    /// - Returns: whether the budget was used up since the last call; the number of jobs that other threads have
    ///   enqueued, whose order the seed does not determine; and the number of all jobs.
    @discardableResult
    func replenish() -> (isExhausted: Bool, foreignJobs: Int, work: Int) {
        state.withLock { state in
            defer { (state.budget, state.overtime, state.isExhausted) = (Self.budget, Self.budget, false) }
            return (state.isExhausted, state.foreignJobs, state.work)
        }
    }

    // MARK: Sleepers

    /// Calls a closure when the clock has reached a moment.
    ///
    /// - Returns: the sleeper's number.
    @discardableResult
    func sleep(until moment: Date, _ wake: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state in
            state.sleeperCount += 1
            return state.sleeperCount
        }
        let timer = clock.schedule(at: moment) { [weak self] in self?.wake(number) }
        state.withLock { $0.sleepers[number] = (wake, timer, moment) }
        return number
    }

    /// Removes a sleeper that is woken by other means.
    func forget(_ number: Int) { state.withLock { $0.sleepers.removeValue(forKey: number) }?.timer.cancel() }

    private func wake(_ number: Int) { state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake() }

    /// Leaves all sleepers of a killed process asleep until ``wakeStranded()``.
    func strandSleepers() {
        // The next process begins at the clock's time.
        aheadBits.store(0, ordering: .relaxed)
        let timers = state.withLock { state -> [TimerToken] in
            if state.sleepers.isEmpty { return [] }
            let sleepers = state.sleepers.sorted { $0.key < $1.key }.map(\.value)
            state.sleepers = [:]
            state.stranded += sleepers.map(\.wake)
            return sleepers.map(\.timer)
        }
        for timer in timers { timer.cancel() }
    }

    /// Wakes all stranded sleepers, to let their tasks end.
    func wakeStranded() {
        let stranded = state.withLock { state in
            defer { state.stranded = [] }
            return state.stranded
        }
        for wake in stranded { wake() }
    }

    /// Begins a task, and runs all jobs that are ready.
    ///
    /// The task may still wait for something afterwards. It prefers an executor of this scheduler, so its calls need no
    /// switch to another executor.
    func run(_ body: @escaping () async -> Void) {
        nonisolated(unsafe) let body = body  // The scheduler uses one thread.
        let task = Task(executorPreference: calls) { await body() }
        drain()
        withExtendedLifetime(task) {}
    }

    /// Runs everything that is ready, and what becomes ready thereby.
    func drain() { while drainHere() {} }

    // MARK: ActivityMember

    func drainHere() -> Bool {
        guard TaskScheduler.current === self else { return false }
        let (next, isLast) = state.withLock { state -> ((job: UnownedJob, lane: TaskSchedulerLane)?, Bool) in
            guard state.next < state.jobs.count else { return (nil, false) }
            let moment = clock.now
            if state.moment != moment, !state.isExhausted {
                (state.moment, state.budget, state.overtime) = (moment, Self.budget, Self.budget)
            }
            guard state.budget + state.overtime > 0 else { return (nil, false) }
            let isLast = state.budget == 1
            if isLast { state.isExhausted = true }
            if state.budget > 0 { state.budget -= 1 } else { state.overtime -= 1 }
            defer {
                state.next += 1
                if state.next == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.next = 0
                }
            }
            return (state.jobs[state.next], isLast)
        }
        if isLast { stop() }
        guard let next else { return false }
        run(next)
        return true
    }

    private func run(_ next: (job: UnownedJob, lane: TaskSchedulerLane)) {
        let before = (place, mainJobs)
        defer { (place, mainJobs) = before }
        if next.lane === main {
            (place, mainJobs) = (.main, mainJobs + 1)
        } else {
            place = next.lane === calls ? .calls : .other
        }
        if next.lane === calls || next.lane === blocks {
            next.job.runSynchronously(on: next.lane.asUnownedTaskExecutor())
        } else {
            next.job.runSynchronously(on: next.lane.asUnownedSerialExecutor())
        }
    }

    // MARK: Waiting

    /// Whether the main thread of a process would be free while the calling code blocks its own.
    private var isMainFree: Bool {
        #if canImport(Glibc)
            mainJobs == 0 && !queues.holdsMain
        #else
            mainJobs == 0
        #endif
    }

    /// Whether there is a job for ``drainInBackground()``.
    var hasBackgroundWork: Bool {
        let isMainFree = isMainFree
        return state.withLock { $0.budget > 0 && backgroundJob($0, isMainFree) != nil }
    }

    private func backgroundJob(_ state: State, _ isMainFree: Bool) -> Int? {
        state.jobs[state.next...].firstIndex {
            $0.lane === general || $0.lane === blocks || (isMainFree && $0.lane === main)
        }
    }

    /// Runs the next job that a process would run on another thread, while the calling code blocks its own; returns false
    /// if there is none.
    @discardableResult
    func drainInBackground() -> Bool {
        let isMainFree = isMainFree
        let (next, isLast) = state.withLock { state -> ((job: UnownedJob, lane: TaskSchedulerLane)?, Bool) in
            guard state.budget > 0, let index = backgroundJob(state, isMainFree) else { return (nil, false) }
            state.budget -= 1
            if state.budget == 0 { state.isExhausted = true }
            defer { if state.next == state.jobs.count { (state.jobs, state.next) = ([], 0) } }
            return (state.jobs.remove(at: index), state.budget == 0)
        }
        if isLast { stop() }
        guard let next else { return false }
        #if canImport(Glibc)
            queues.onAnotherThread { run(next) }
        #else
            run(next)
        #endif
        return true
    }

    /// The end of a wait.
    enum WaitEnd {
        case isMet
        /// The time was over before.
        case isLate
        /// Nothing is left that could end the wait.
        case isEndless
        /// The process has ended.
        case isOfEnded
        /// The process has ended, and has waited in vain too often.
        case isOver
    }

    /// The maximum number of sleepers that one wait wakes.
    private static let patience = 1_000

    /// Runs jobs that a process would run on other threads until a condition holds, and lets time pass if there are none.
    ///
    /// The scheduler's time runs ahead of the clock meanwhile, which cannot be moved by the code that it drives. In a process
    /// that has ended, a wait ends at once.
    ///
    /// - Parameters:
    ///   - end: the end of the wait; nil if it has none.
    ///   - isMet: returns whether the condition holds.
    /// - Returns: how the wait has ended.
    func wait(until end: Date?, _ isMet: () -> Bool) -> WaitEnd {
        var patience = Self.patience
        while !isMet() {
            if drainInBackground() { continue }
            if isEnded() {
                lastWaits -= 1
                return lastWaits > 0 ? .isOfEnded : .isOver
            }
            if patience > 0, wakeNext(before: end) {
                patience -= 1
                continue
            }
            guard let end else { return .isEndless }
            ahead = max(now, end)
            return .isLate
        }
        return .isMet
    }

    /// Wakes the next sleeper, at its time; returns false if there is none before an end.
    private func wakeNext(before end: Date?) -> Bool {
        let next = state.withLock { state -> (wake: @Sendable () -> Void, timer: TimerToken, moment: Date)? in
            let first = state.sleepers.min { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }
            guard let first, first.value.moment <= end ?? .distantFuture else { return nil }
            return state.sleepers.removeValue(forKey: first.key)
        }
        guard let next else { return false }
        next.timer.cancel()
        ahead = max(now, next.moment)
        next.wake()
        return true
    }

    var pulse: (isQuiet: Bool, work: Int) { state.withLock { ($0.jobs.isEmpty || $0.overtime == 0, $0.work) } }
    var retainable: (any ActivityPulse)? { self }
    var waitingFor: [String] { blockingCall.withLock { $0 }.map { [$0] } ?? [] }
}

// MARK: - The scheduler of a thread

extension TaskScheduler {
    /// The calling thread's scheduler; nil if the runtime schedules the thread's tasks as usual.
    static var current: TaskScheduler? {
        store_thread_scheduler().map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls a body on the calling thread, and schedules the tasks that begin on it until the body returns.
    ///
    /// - Throws: ``TaskSchedulerError`` if the runtime lacks the necessary hooks or other code has replaced them;
    ///   otherwise the body's error.
    func bind<R>(_ body: () throws -> R) throws -> R {
        try RuntimeHooks.check()
        // Kept for the thread by Foundation, which would take it for the main thread's while main-actor code runs.
        _ = Thread.current
        let before = store_thread_scheduler()
        store_set_thread_scheduler(Unmanaged.passUnretained(self).toOpaque())
        Self.boundThreads.add(1, ordering: .relaxed)
        defer {
            Self.boundThreads.subtract(1, ordering: .relaxed)
            store_set_thread_scheduler(before)
        }
        return try body()
    }
}

/// An error of a Swift runtime whose tasks cannot be scheduled on one thread.
enum TaskSchedulerError: Error, CustomStringConvertible {
    case noHooks
    case otherHooks

    var description: String {
        switch self {
        case .noHooks: "this Swift runtime has no hooks for its executors, which a simulation of tasks needs"
        case .otherHooks:
            "other code of this process has replaced the hooks of Swift's runtime by which a simulation keeps its tasks: let it "
                + "set its own before the first simulation, which passes on to them"
        }
    }
}

/// An executor of a ``TaskScheduler``, which also determines when its tasks wake.
///
/// A lane is never freed. Tasks refer to their executor without retaining it, and a task that the app's own thread
/// resumes may arrive after the scheduler was released. Another scheduler reuses a lane only after some thousand other
/// lanes.
final class TaskSchedulerLane: SerialExecutor, TaskExecutor {
    private struct WeakScheduler { weak var scheduler: TaskScheduler? }

    // Jobs that arrive after the release of the scheduler are lost.
    private let scheduler = Locked(WeakScheduler())

    private init() { _ = Unmanaged.passRetained(self) }

    private struct Pool {
        var retired: [TaskSchedulerLane] = []
        /// The lanes that may be reused.
        ///
        /// The last one was retired first.
        var ready: [TaskSchedulerLane] = []
    }

    private static let pool = Locked(Pool())
    /// The minimum number of retired lanes that are not reused yet.
    ///
    /// It prevents late jobs of one scheduler from reaching the next one.
    private static let waiting = 4_096

    /// Returns a lane that belongs to no scheduler.
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

    #if canImport(Glibc)
        /// Whether the calling code is a block that runs on the main queue, where this is the main actor's executor.
        ///
        /// Swift asks where code of the main actor runs that no job of this executor has called.
        func isIsolatingCurrentContext() -> Bool? {
            guard let scheduler = TaskScheduler.current, scheduler.main === self else { return nil }
            return scheduler.queues.isOnMain(scheduler) ? true : nil
        }

        /// Stops the process unless ``isIsolatingCurrentContext()`` is true.
        func checkIsolated() {
            if isIsolatingCurrentContext() != true {
                fatalError("code of the main actor runs outside of it")
            }
        }
    #endif

    func enqueue(_ job: consuming ExecutorJob) { attached?.enqueue(UnownedJob(job), on: self) }

    func enqueue(_ job: UnownedJob) { attached?.enqueue(job, on: self) }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
        attached?.enqueue(UnownedJob(job), on: self, after: Self.seconds(delay))
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
        attached?.enqueue(UnownedJob(job), on: self, after: Self.seconds(clock.now.duration(to: instant)))
    }

    /// Returns a duration in seconds; 0 for a duration of another clock's type.
    private static func seconds<D: DurationProtocol>(_ duration: D) -> Double {
        guard let duration = duration as? Duration else { return 0 }
        let (seconds, attoseconds) = duration.components
        // Rounds up to hundredths, since the exact remaining time differs in each run.
        return ((Double(seconds) + Double(attoseconds) * 1e-18) * 100).rounded(.up) / 100
    }
}

#if !canImport(Darwin)
    // The protocol is in no public interface of Apple's SDKs: a task that sleeps there does so in real time.
    extension TaskSchedulerLane: SchedulingExecutor {}
#endif

/// The hooks of Swift's runtime through which a thread schedules the tasks that begin on it.
///
/// The hooks are process-wide: a thread without a ``TaskScheduler`` uses the hooks that were set before, or the
/// runtime's own scheduling. The runtime finds the general executor and the main actor's executor through the hooks.
/// The executors of other actors run on the general executor.
enum RuntimeHooks {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
    private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

    /// A variable of the runtime, and the address of the hook that was stored in it.
    private struct Place: @unchecked Sendable {  // unchecked: the runtime reads it without a lock, too
        let variable: UnsafeMutableRawPointer
        let hook: UInt

        /// Sets a hook.
        static func set<Hook>(_ hook: Hook, at variable: UnsafeMutableRawPointer) -> Place {
            variable.assumingMemoryBound(to: Hook?.self).pointee = hook
            return Place(variable: variable, hook: variable.load(as: UInt.self))
        }

        var isSet: Bool { variable.load(as: UInt.self) == hook }
    }

    // Set once, before the hooks that read them are set.
    nonisolated(unsafe) private static var olderEnqueue: EnqueueHook?
    nonisolated(unsafe) private static var olderMainExecutor: MainExecutorHook?

    /// The addresses of the hooks, which are set on first use; nil if the runtime does not have them.
    private static let places: [Place]? = {
        // `DetachedTasks` sets its hook first. These hooks then call it; if it were set later, it would replace them.
        DetachedTasks.begin()
        guard let enqueue = store_enqueue_hook(), let mainExecutor = store_main_executor_hook() else { return nil }
        olderEnqueue = enqueue.load(as: EnqueueHook?.self)
        olderMainExecutor = mainExecutor.load(as: MainExecutorHook?.self)
        let hook: EnqueueHook = { job, original in
            if let scheduler = TaskScheduler.current { return scheduler.general.enqueue(job) }
            if let older = RuntimeHooks.olderEnqueue { older(job, original) } else { original(job) }
        }
        let mainHook: MainExecutorHook = { original in
            if let scheduler = TaskScheduler.current { return scheduler.main.asUnownedSerialExecutor() }
            return RuntimeHooks.olderMainExecutor.map { $0(original) } ?? original()
        }
        #if canImport(Glibc)
            DispatchHooks.set()
        #endif
        return [Place.set(hook, at: enqueue), Place.set(mainHook, at: mainExecutor)]
    }()

    /// Sets the hooks, unless they were set before.
    ///
    /// - Throws: a ``TaskSchedulerError`` if the runtime has no hooks, or if other code has replaced them since.
    static func check() throws {
        guard let places else { throw TaskSchedulerError.noHooks }
        if !places.allSatisfy(\.isSet) { throw TaskSchedulerError.otherHooks }
    }
}
