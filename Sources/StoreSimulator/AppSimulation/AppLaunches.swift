import StoreCore

/// The launches of the app in a life, one after another, and the work of their code.
final class AppLaunches {
    /// The process, connection and context of the launch that is running.
    final class Running {
        let process: AppProcess
        fileprivate let backend: LaunchBackend
        let context: StoreContext
        /// The app, once its launch has created it.
        fileprivate(set) var app: LaunchedApp?
        fileprivate var error: (any Error)?
        /// The work of the app's code when it settled last: the number of jobs and boundaries.
        fileprivate var settled = 0
        /// The work of the app's code at the last check; nil if an action was called since.
        fileprivate var checked: Int?

        fileprivate init(_ process: AppProcess, _ backend: LaunchBackend, _ context: StoreContext) {
            self.process = process
            self.backend = backend
            self.context = context
        }
    }

    private let clock: ManualClock
    private let appClock: AppClock
    /// The clock for the queue's pauses, which advances at each step: a queue that cannot reach its store retries every few
    /// minutes, a hundred thousand times in a year.
    private let pauses: ManualClock
    let scheduler: TaskScheduler
    /// The running process.
    private let present = Locked<AppProcess?>(nil)
    private(set) var running: Running?
    private let ended = EndedLaunches()
    /// The number of launches so far.
    private var count = 0

    init(_ clock: ManualClock) {
        self.clock = clock
        pauses = ManualClock(startingAt: clock.now, activity: clock.activity)
        let present = present
        scheduler = TaskScheduler(
            clock: clock,
            stop: { present.withLock { $0 }?.exhaust() },
            fail: { sentence in
                let process = present.withLock { $0 }
                process?.fail(sentence)
                process?.kill()
            },
            isEnded: { present.withLock { $0 }?.isDead ?? true }
        )
        appClock = AppClock(scheduler)
    }

    /// Launches the app on a device, with the connection to the store that a function returns for the new process.
    func launch(
        _ setup: AppSimulationSetup,
        on device: AppDevice,
        _ signer: any ReceiptSigner,
        _ customers: AppCustomers,
        _ server: (any AppServerLife)?,
        _ backend: (AppProcess) -> LaunchBackend
    ) {
        let process = AppProcess(scheduler, ended.afterlife)
        present.withLock { $0 = process }
        let backend = backend(process)
        if let server { backend.finishes.use { server.noteFinish(of: $0) } }
        let context = StoreContext(
            backend: backend,
            journal: LaunchJournal(device.journal, process),
            clock: pauses,
            delivery: setup.isInline ? .inline : .onMainActor,
            log: .silent
        )
        let running = Running(process, backend, context)
        self.running = running
        StoreContext.ofThread = context
        let storage = AppStorage(device.disk, process)
        let launch = AppLaunch(
            number: count,
            storage: storage,
            clock: appClock,
            receiptSigner: signer,
            customers: customers.on(device.device),
            server: server.map { AppServer(process, device.device, $0) }
        )
        count += 1
        let body = setup.launch
        context.run {
            scheduler.run { do { running.app = try await body(launch) } catch { running.error = error } }
        }
    }

    /// Ends the running process: until its code waits, the code continues without any effect.
    ///
    /// Nothing may retain the launch, so that its context ends while the thread is bound to the context without a store,
    /// and not to the context of the next launch.
    func end() {
        guard running != nil else { return }
        running?.process.kill()
        running?.backend.close()
        // The process's tasks finish their work before there is another process.
        scheduler.drain()
        // Tasks that sleep now, or when the app is released, must not wake in the next process.
        scheduler.strandSleepers()
        if let running { ended.add(running) }
        running?.context.run { running?.app = nil }
        running = nil
        scheduler.drain()
        scheduler.strandSleepers()
    }

    /// Ends everything that the code of ended processes waits for.
    func endWaits() {
        scheduler.replenish()
        scheduler.drain()
        // Code that repeats a request again and again receives at most three more replies.
        for _ in 0..<3 {
            scheduler.strandSleepers()
            scheduler.wakeStranded()
            ended.afterlife.answer()
            scheduler.drain()
            ended.endWaits()
            scheduler.drain()
        }
        ended.afterlife.close()
        scheduler.drain()
        present.withLock { $0 = nil }
        ended.leave()
    }

    /// Performs everything that can happen without a further step; returns whether the app was killed.
    @discardableResult
    func settle(before step: Int) throws -> Bool {
        comeToRest()
        for _ in 0..<3 where pauses.nextDeadline != nil {
            pauses.advance(by: 300)
            comeToRest()
        }
        let jobs = scheduler.replenish()
        let state = running?.process.replenish()
        if jobs.isExhausted || state?.isExhausted == true { throw AppViolation.restless(before: step) }
        guard let state else { return false }
        running?.settled = jobs.work + state.reached
        if let error = running?.error, !state.isDead {
            throw AppViolation("launch", sentence: "the app cannot be launched: \(error)", step: step)
        }
        if let fault = state.fault { throw AppViolation(sentence: fault, step: step) }
        if state.escapes > 0 || jobs.foreignJobs > 0 { throw AppViolation(sentence: Self.escape, step: step) }
        return state.isDead
    }

    private static var escape: String {
        "the app works on a thread of its own, whose order no seed repeats (as after a Task.sleep in an actor's method that a "
            + "task of its own calls, in place of which launch.clock.sleep waits without one)"
    }

    /// Performs all work that is due now: the queue's work may cause work of the store, and vice versa.
    ///
    /// The work is done in the scheduler's jobs, and in the calls that the jobs make.
    private func comeToRest() {
        scheduler.drain()
        if clock.activity.hasRegisteredWork { clock.activity.comeToRest() }
    }

    /// Whether the running app calls the store directly.
    var isDirect: Bool { running?.backend is DirectLaunchBackend }

    /// Whether some of the app's code had run since the last check when the app settled last.
    var hasProgressed: Bool { running?.settled != running?.checked }

    func noteAction() { running?.checked = nil }

    /// Notes a check: the app's answers to it are no progress.
    func noteCheck(hasAsked: Bool) {
        guard let running else { return }
        running.checked = hasAsked ? scheduler.pulse.work + running.process.condition.reached : running.settled
    }
}

extension StoreDelivery {
    fileprivate static var onMainActor: StoreDelivery { .scheduler { turn in Task { @MainActor in turn() } } }
}

/// The launches whose processes have ended, and a context without a store for their code.
///
/// The context's callbacks are jobs, whose number is limited: nothing else ends a request that its delegate starts again
/// and again. Only one thread uses the context.
private final class EndedLaunches {
    /// Weak references to the context and the queue of a launch.
    private struct Launch {
        weak let context: StoreContext?
        weak let queue: SKPaymentQueue?
    }

    let afterlife = AppProcess.Afterlife()
    private var launches: [Launch] = []
    private var context = StoreContext(delivery: .onMainActor, log: .silent)

    /// Adds a launch, and binds the calling thread to the context without a store.
    func add(_ launch: AppLaunches.Running) {
        StoreContext.ofThread = context
        // Code that has lost the context may retain its queue.
        let queue = launch.context.defaultQueueIfMade as? SKPaymentQueue
        launches.append(Launch(context: launch.context, queue: queue))
    }

    /// Ends the waits of all code, as for a purchase or an update, and disconnects its queues from the store.
    ///
    /// Ends all observation in the context without a store, and binds the calling thread to a new one.
    func endWaits() {
        for launch in launches {
            guard let context = launch.context ?? launch.queue?.storeContext else { continue }
            context.use(nil)
            let queue = context.defaultQueueIfMade as? SKPaymentQueue ?? launch.queue
            _ = queue?.relaunch()
        }
        guard let queue = context.defaultQueueIfMade as? SKPaymentQueue else { return }
        let last = context
        context = StoreContext(delivery: .onMainActor, log: .silent)
        StoreContext.ofThread = context
        withExtendedLifetime(last) { _ = queue.relaunch() }
    }

    /// Unbinds the calling thread from the context.
    ///
    /// Code that still waits in the context waits forever: on any other thread it would use the process's context.
    func leave() {
        if context.defaultQueueIfMade != nil { _ = Unmanaged.passRetained(context) }
        StoreContext.ofThread = nil
    }
}
