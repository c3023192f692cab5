import Foundation
import StoreContract
import StoreCore
import StoreKit

/// A simulated life of an app: a store, the user's devices, and the launches of the app on them.
final class AppLife {
    /// A broken rule, and the number of steps before it.
    struct Violation: Error {
        /// The identity of the rule, independent of the numbers in the sentence.
        let rule: String
        let sentence: String
        let step: Int

        init(_ rule: String? = nil, sentence: String, step: Int) {
            self.rule = rule ?? sentence
            self.sentence = sentence
            self.step = step
        }
    }

    /// A launch of the app.
    final class Running {
        let process: AppProcess
        let backend: LaunchBackend
        let context: StoreContext
        /// The app, once its launch has created it.
        var app: LaunchedApp?
        var error: (any Error)?

        init(_ process: AppProcess, _ backend: LaunchBackend, _ context: StoreContext) {
            self.process = process
            self.backend = backend
            self.context = context
        }
    }

    /// The signer of all lives' receipts.
    private static let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))

    let setup: AppSimulationSetup
    let clock = ManualClock()
    /// The clock for the queue's pauses, which advances at each step: a queue that cannot reach its store retries every few
    /// minutes, a hundred thousand times in a year.
    private let pauses: ManualClock
    let scheduler: TaskScheduler
    private let afterlife = AppProcess.Afterlife()
    /// The running process.
    private let present = Locked<AppProcess?>(nil)
    let store: SandboxStore
    /// The second account, in a life that may have one.
    private(set) var other: SandboxAccount?
    private(set) var relative: SandboxAccount?
    /// The device that the user begins with.
    let first: AppDevice
    /// The second device, once the user has taken it.
    var second: AppDevice?
    /// The device in use, on which the app runs.
    private(set) var hand: AppDevice
    /// The devices on which each purchase can be delivered, as bits; nil while there is only one device.
    var homes: [String: UInt8]?
    let historyFaults: HistoryFaults
    private let beginning: Date
    private var launches = 0
    /// The launches of processes that have ended.
    private var endedLaunches: [EndedLaunch] = []
    /// The context of code whose process has ended.
    private let nowhere = StorelessContext()
    private(set) var running: Running?
    var coverage = AppCoverage()
    /// The user's reply to payment sheets.
    let answer = Locked(AppStep.UserAnswer.pays)
    private let reader: TransactionReader
    /// The number of the store's records at the last reading.
    private(set) var position = 0
    /// The store's transactions at the last reading.
    private(set) var transactions: [SandboxTransaction] = []
    /// The purchases of products that are counted, by the numbers of the claims.
    var purchaseLists: [PurchaseList]
    /// The transactions sold since the store began to sign wrongly; they never had a valid signature.
    var untrusted: Set<String> = []
    var hasSignedWrongly = false
    /// The transactions sold before the store began to sign wrongly.
    var trusted: Set<String> = []
    let shown = ShownTransactions()
    /// Whether purchases have been interrupted.
    var hasInterrupted = false
    private let sellsSubscriptions: Bool
    /// The steps that are still to come.
    var coming: ArraySlice<AppStep> = []
    /// The number of tasks that have run this life; work of an earlier task no longer belongs to the life.
    var turn = 0
    /// The state of the life's task.
    var phase = Phase.between
    /// Whether the life's task has bound the context of the running launch.
    var isBound = false
    /// Whether the running app calls the store directly.
    private var isDirect = false
    /// Whether, since the last check, something has happened for which the app may have waited.
    var hasWaited = false

    /// The app's progress when it settled last.
    private(set) var settledProgress: Progress?
    /// The app's progress at the last check.
    var checkedProgress: Progress?

    /// The progress of an app, which changes whenever some of its code runs.
    struct Progress: Equatable {
        let launches: Int
        let actions: Int
        let jobs: Int
        let boundaries: Int
    }

    /// The number of actions that were called.
    var actions = 0

    private let monitor: RunMonitor
    let seed: UInt64

    init(_ setup: AppSimulationSetup, seed: UInt64, _ monitor: RunMonitor) throws {
        self.setup = setup
        self.monitor = monitor
        self.seed = seed
        beginning = clock.now
        pauses = ManualClock(startingAt: beginning, activity: clock.activity)
        sellsSubscriptions = setup.products.contains { $0.kind == .autoRenewable }
        let present = present
        scheduler = TaskScheduler(clock: clock) { present.withLock { $0 }?.exhaust() }
        store = try SandboxStore(products: setup.products, clock: clock, locale: "en_US", signer: Self.signer)
        reader = TransactionReader(store)
        first = AppDevice(store.device, place: 0, seed: seed, claims: setup.claims.count)
        purchaseLists = Array(repeating: PurchaseList(), count: setup.claims.count)
        hand = first
        historyFaults = HistoryFaults(clock: clock)
    }

    // MARK: - The life

    /// Performs the steps and the final checks.
    ///
    /// - Throws: the first violation, or a mistake in the simulation.
    func live(_ steps: [AppStep]) throws {
        let life = monitor.begin(seed)
        defer { monitor.end(life) }
        try scheduler.bind {
            defer { over() }
            coming = steps[...]
            // Accounts created later would notify a running app.
            if setup.hasOtherUser || steps.contains(where: \.involvesOthers) {
                other = try store.addAccount(AppStep.otherName)
                relative = try store.addAccount(AppStep.relativeName)
            }
            launch()
            try settle(before: 0)
            try follow(LifeCourse(steps: steps) { [monitor] in try monitor.go(life, to: $0) })
        }
    }

    /// The app's progress now.
    var currentProgress: Progress {
        progress(jobs: scheduler.pulse.work, boundaries: running?.process.condition.reached ?? 0)
    }

    private func progress(jobs: Int, boundaries: Int) -> Progress {
        Progress(launches: launches, actions: actions, jobs: jobs, boundaries: boundaries)
    }

    var device: SandboxDevice { hand.device }

    /// Reads the store's transactions.
    func readTransactions() throws {
        // Releases the array, which the reader would otherwise copy before appending to it.
        transactions = []
        transactions = try reader.transactions()
        position = reader.position
    }

    // MARK: - Launches

    private func launch() {
        let process = AppProcess(scheduler, afterlife)
        present.withLock { $0 = process }
        let backend = backend(of: process)
        let context = StoreContext(
            backend: backend,
            journal: LaunchJournal(hand.journal, process),
            clock: pauses,
            delivery: setup.isInline ? .inline : .onMainActor,
            log: .silent
        )
        let running = Running(process, backend, context)
        self.running = running
        StoreContext.ofThread = context
        let launch = AppLaunch(
            number: launches,
            storage: AppStorage(hand.disk, process),
            clock: AppClock(scheduler, beginning: beginning),
            receiptSigner: store.signer,
            storeClock: clock
        )
        launches += 1
        let body = setup.launch
        context.run {
            scheduler.run { do { running.app = try await body(launch) } catch { running.error = error } }
        }
    }

    /// Returns a launch's connection to the store.
    ///
    /// If none of its steps disturbs messages, a launch calls the store directly, like an app whose store is in its process;
    /// any other launch uses the fault injector.
    private func backend(of process: AppProcess) -> LaunchBackend {
        isDirect = hand.wire?.isIdle != false && coming.prefix { $0 != .relaunch }.allSatisfy { !$0.disturbs }
        askUser()
        return isDirect
            ? DirectLaunchBackend(device, process, shown, historyFaults)
            : LaunchBackend(hand.connectedWire(), process, shown, historyFaults)
    }

    /// Sets the store's authorizer for the user's current reply.
    ///
    /// An app that calls the store directly has its reply at once, so a user who pays need not be queried.
    func askUser() {
        let answer = answer
        let asks = !isDirect || answer.withLock { $0 } != .pays
        store.authorizer = asks ? Authorizer { _ in answer.withLock { $0 }.authorization } : .approving
    }

    /// Ends the app, and launches it again.
    ///
    /// - Parameter next: the device on which it is launched, the same unless given.
    func relaunch(on next: AppDevice? = nil) {
        end()
        if let next { hand = next }
        launch()
    }

    /// Ends the running process: until its code waits, the code continues without any effect.
    ///
    /// Nothing may retain the launch, so that its context ends while the thread is bound to ``StorelessContext``, and
    /// not to the context of the next launch.
    private func end() {
        guard running != nil else { return }
        running?.process.kill()
        running?.backend.close()
        // The process's tasks finish their work before there is another process.
        scheduler.drain()
        // Tasks that sleep now, or when the app is released, must not wake in the next process.
        scheduler.strandSleepers()
        nowhere.bindToThread()
        if let running { endedLaunches.append(EndedLaunch(running)) }
        running?.context.run { running?.app = nil }
        running = nil
        scheduler.drain()
        scheduler.strandSleepers()
    }

    private func over() {
        turn += 1
        end()
        coverage.noteFaults(historyFaults.count, of: AppCoverage.question)
        for device in [first, second].compactMap(\.self) {
            guard let wire = device.wire else { continue }
            for (point, count) in wire.faultCounts { coverage.noteFaults(count, of: point.rawValue) }
            wire.removeAllRules()
            wire.cut()
        }
        historyFaults.removeAll()
        historyFaults.answerLate()
        scheduler.replenish()
        scheduler.drain()
        // Code that repeats a request again and again receives at most three more replies.
        for _ in 0..<3 {
            scheduler.strandSleepers()
            scheduler.wakeStranded()
            afterlife.answer()
            scheduler.drain()
            for launch in endedLaunches { launch.endWaits() }
            nowhere.endWaits()
            scheduler.drain()
        }
        afterlife.close()
        scheduler.drain()
        present.withLock { $0 = nil }
        nowhere.leave()
    }

    func arm(after count: Int) { running?.process.arm(after: count) }

    // MARK: - Rest

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
        if jobs.isExhausted || state?.isExhausted == true { throw Self.restlessness(before: step) }
        settledProgress = progress(jobs: jobs.work, boundaries: state?.reached ?? 0)
        guard let state else { return false }
        if let error = running?.error, !state.isDead {
            throw Violation("launch", sentence: "the app cannot be launched: \(error)", step: step)
        }
        if let fault = state.fault { throw Violation(sentence: fault, step: step) }
        if state.escapes > 0 || jobs.foreignJobs > 0 { throw Violation(sentence: Self.escape, step: step) }
        return state.isDead
    }

    /// Launches the app again if it was killed, and returns whether it was.
    @discardableResult
    func relaunchKilled(before step: Int) throws -> Bool {
        guard running?.process.isDead == true else { return false }
        if let boundary = running?.process.killedAt { coverage.noteKill(at: boundary) }
        relaunch()
        try settle(before: step)
        return true
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
        if clock.activity.hasRegisteredWork { waitForThreads() }
    }

    /// Waits until no other thread, such as one of the app's own, does work for the store or a queue.
    func waitForThreads() { clock.activity.comeToRest() }

    /// The conditions under which a step begins, such as an unfinished purchase: coverage counts steps by them.
    ///
    /// Uses the last reading of the store where possible, since this is called before each step.
    var states: AppCoverage.States {
        var (isUndecided, isRefunded, isUnfinished) = (false, false, false)
        for index in transactions.indices {
            if transactions[index].cancellationDate != nil { isRefunded = true }
            switch transactions[index].state {
            case .purchasing, .deferred: isUndecided = true
            case .purchased: if !transactions[index].isFinished { isUnfinished = true }
            case .failed, .restored: break
            }
        }
        var states = AppCoverage.States()
        if isUndecided { states.insert(.undecided) }
        if hasInterrupted, !store.issues.isEmpty { states.insert(.interrupted) }
        if isUnfinished { states.insert(.unfinished) }
        if !device.isReachable { states.insert(.offline) }
        if sellsSubscriptions {
            let subscriptions = store.account.subscriptions
            if subscriptions.contains(where: { $0.isRunning }) { states.insert(.subscribed) }
            if subscriptions.contains(where: { !$0.isRunning }) { states.insert(.lapsed) }
        }
        if isRefunded { states.insert(.refunded) }
        if hand.hasOtherUser { states.insert(.otherUser) }
        if hand !== first { states.insert(.secondDevice) }
        if states.isEmpty { states.insert(.atRest) }
        return states
    }
}

extension StoreDelivery {
    static var onMainActor: StoreDelivery { .scheduler { turn in Task { @MainActor in turn() } } }
}

extension AppStep.UserAnswer {
    fileprivate var authorization: Authorization {
        switch self {
        case .pays: .approve
        case .cancels: .cancel
        case .isDeclined: .decline()
        case .hesitates: .later
        }
    }
}
