import Foundation
import StoreCore
import Synchronization

extension AppSimulation {
    /// Runs many lives, until one breaks a rule.
    ///
    /// Each life uses one thread and shares nothing with other lives. The same seed gives the same result with any
    /// number of threads.
    ///
    /// - Parameters:
    ///   - seed: the first life's seed. Each further life has the next number as its seed.
    ///   - runs: the number of lives, at least 1.
    ///   - steps: the number of steps in each life, at least 1, in addition to the steps with which each life begins.
    ///     With another number, the same seed draws a different life, not just a shorter or longer one.
    ///   - jobs: the maximum number of threads, at least 1; by default the number of the machine's cores.
    /// - Returns: a report with the number of lives and steps, and the states in which steps occurred.
    /// - Throws: an ``AppSimulationFailure`` for the first life that breaks a rule; an error for a mistake in the
    ///   simulation; an error of the file of seeds; a `CancellationError` if the task is canceled.
    @discardableResult
    public func run(
        seed: UInt64 = 1,
        runs: Int = 1_000,
        steps: Int = 40,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount
    ) async throws -> AppSimulationReport {
        for number in [runs, steps, jobs] where number < 1 { throw AppSimulationError.wrongNumber(number) }
        try checkClaims()
        try setup.server?.check(setup.products)
        try checkNames(in: setup.beginning)
        for kind in setup.quirks ?? [] { try checkQuirk(kind) }
        let kept = try seedFile?.seeds() ?? []
        let crashed = seedFile.map { UnderwaySeeds.taken(beside: $0.url) } ?? []
        if !crashed.isEmpty {
            say(
                "the process ended in a life of seed \(crashed.map(String.init).joined(separator: " or ")), tried first"
            )
        }
        let underway = seedFile.flatMap { UnderwaySeeds(beside: $0.url, first: crashed) }
        defer { underway?.remove() }
        let monitor = RunMonitor(limit: patience, seeds: underway, say: say)
        let rows = setup.choices.rows
        let strays = StrayCalls.count
        StrayCalls.begin()
        defer { StrayCalls.end() }
        var report = AppSimulationReport(runs: 0, coverage: AppCoverage(), rows: rows)
        // Runs the seeds that a crashed process has left one at a time, to find the one that ends the process.
        for (seeds, jobs) in crashed.map({ ([$0], 1) }) + [(kept + (0..<UInt64(runs)).map { seed &+ $0 }, jobs)] {
            let plan = AppRunPlan(seeds: seeds, steps: steps, setup: setup, monitor: monitor)
            let (coverage, failure) = try await plan.performed(jobs: jobs)
            report.add(runs: seeds.count, coverage)
            report.strays = StrayCalls.count - strays
            if var failure {
                failure.strays = report.strays
                failure.generic = setup.products.filter(\.isAdvancedCommerce)
                if let hint = failure.hint { say(hint) }
                do {
                    try seedFile?.add(failure.seed)
                    failure.pageFile = try seedFile?.write(failure)
                } catch {
                    failure.notKept = "\(error)"
                }
                throw failure
            }
        }
        return report
    }

    /// Repeats one life, from the seed and the steps that a failure prints.
    ///
    /// - Parameters:
    ///   - seed: the life's seed, which determines the faults of messages.
    ///   - steps: the steps.
    /// - Throws: an ``AppSimulationFailure`` if the life breaks a rule; an error for a mistake in the
    ///   simulation or in the steps, such as a product that the simulation does not sell; a `CancellationError` if the
    ///   task is canceled.
    public func run(seed: UInt64, steps: [AppStep]) async throws {
        try checkClaims()
        try setup.server?.check(setup.products)
        try checkNames(in: steps)
        let monitor = RunMonitor(limit: patience, say: say)
        let strays = StrayCalls.count
        StrayCalls.begin()
        defer { StrayCalls.end() }
        let found = try await withTaskCancellationHandler {
            try await setup.onThread { try monitor.watching { try setup.failure(seed: seed, steps: steps, monitor) } }
        } onCancel: {
            monitor.cancel()
        }
        guard var failure = found else { return }
        failure.strays = StrayCalls.count - strays
        failure.generic = setup.products.filter(\.isAdvancedCommerce)
        if let hint = failure.hint { say(hint) }
        throw failure
    }

    /// Checks that the simulation has everything that the steps name: otherwise steps would have no effect, and always
    /// pass.
    private func checkNames(in steps: [AppStep]) throws {
        for step in steps {
            switch step {
            case .action(let name):
                _ = try setup.action(named: name)
            case .buyElsewhere(let name), .buyMonthlyElsewhere(let name), .modifyElsewhere(let name),
                .promote(let name), .familyBuys(let name):
                try checkProduct(name)
            case .redeem(let offer, let name), .winBack(let offer, let name):
                try checkProduct(name)
                let known = setup.choices.offers
                guard !known.contains(step) else { continue }
                // Of the product, and of the kind that the step has.
                let names = known.compactMap { other -> String? in
                    switch (step, other) {
                    case (.redeem, .redeem(let offer, name)), (.winBack, .winBack(let offer, name)): offer
                    default: nil
                    }
                }
                throw AppSimulationError.unknownOffer(offer, of: name, among: names)
            case .failDownload(let file):
                let known = setup.choices.files
                if !known.contains(file) { throw AppSimulationError.unknownFile(file, among: known) }
            case .quirk(let quirk, _): try checkQuirk(quirk.kind)
            default: break
            }
        }
    }

    private func checkQuirk(_ kind: StoreQuirk.Kind) throws {
        if !kind.concernsApps || (kind.concernsSubscriptions && !setup.sellsSubscriptions) {
            throw AppSimulationError.unfitQuirk(kind)
        }
    }

    @discardableResult
    private func checkProduct(_ name: String) throws -> SandboxProduct {
        guard let product = setup.products.first(where: { $0.identifier == name }) else {
            throw AppSimulationError.unknownProduct(name, among: setup.products.map(\.identifier))
        }
        return product
    }

    private func checkClaims() throws {
        if setup.claims.isEmpty, setup.server == nil { throw AppSimulationError.nothingIsClaimed }
        for claim in setup.claims {
            switch claim {
            case .holds(let name, _), .delivers(let name, _):
                let product = try checkProduct(name)
                if product.kind != .consumable, product.kind != .nonRenewing {
                    throw AppSimulationError.isNotCounted(name)
                }
            case .allows(let name, _), .neverDenies(let name, _):
                let product = try checkProduct(name)
                if product.kind == .consumable || product.kind == .nonRenewing {
                    throw AppSimulationError.isNotAccess(name)
                }
            case .invariant: break
            }
        }
    }
}

/// The state of the lives in progress, for a run that is canceled or stalls, or whose process ends.
final class RunMonitor: Sendable {
    /// A life in progress.
    final class Life: Sendable {
        fileprivate struct State {
            var place = Place.launch
            var since = ContinuousClock.now
            var isReported = false
            weak var scheduler: TaskScheduler?
        }

        /// The scheduler of the life's thread.
        var scheduler: TaskScheduler? {
            get { state.withLock { $0.scheduler } }
            set { state.withLock { $0.scheduler = newValue } }
        }

        fileprivate let seed: UInt64
        fileprivate let state = Locked(State())
        /// What is printed if the process ends during the life.
        fileprivate let crashReport: CrashReport

        fileprivate init(seed: UInt64, _ source: String) {
            self.seed = seed
            crashReport = CrashReport(source)
        }
    }

    /// A place in a life.
    enum Place: Sendable {
        case launch
        case step(Int, AppStep)
        case end
    }

    /// The lives in progress, oldest first.
    private let lives = Locked<[Life]>([])
    private let isCanceled = Atomic<Bool>(false)
    private let limit: Duration
    private let say: @Sendable (String) -> Void
    private let seeds: UnderwaySeeds?
    /// The source of the steps, which is slow to find.
    private let sources = Locked<[AppStep: String]>([:])
    private static let sourceLimit = 10_000

    /// - Parameters:
    ///   - limit: the time after which a life counts as stalled.
    ///   - seeds: the file of the seeds in progress.
    ///   - say: prints a line.
    init(limit: Duration, seeds: UnderwaySeeds? = nil, say: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.seeds = seeds
        self.say = say
    }

    func cancel() { isCanceled.store(true, ordering: .relaxed) }

    /// Throws `CancellationError` if the run is canceled.
    func checkCancellation() throws { if isCanceled.load(ordering: .relaxed) { throw CancellationError() } }

    // MARK: Lives

    /// Calls a body that runs a seed's lives, and records the seed as in progress.
    func withSeed<R>(_ seed: UInt64, _ body: () throws -> R) rethrows -> R {
        seeds?.begin(seed)
        defer { seeds?.end(seed) }
        return try body()
    }

    func begin(_ seed: UInt64, _ steps: [AppStep]) -> Life {
        let life = Life(seed: seed, AppStep.source(seed: seed, steps: sources(of: steps)))
        lives.withLock { $0.append(life) }
        return life
    }

    private func sources(of steps: [AppStep]) -> [String] {
        let known = sources.withLock { sources in steps.map { sources[$0] } }
        var new: [AppStep: String] = [:]
        let texts = zip(steps, known).map { step, source in
            if let source { return source }
            let source = new[step] ?? step.description
            new[step] = source
            return source
        }
        if !new.isEmpty {
            sources.withLock { sources in
                if sources.count > Self.sourceLimit { sources = [:] }
                sources.merge(new) { $1 }
            }
        }
        return texts
    }

    /// Records the progress of a life.
    ///
    /// - Throws: `CancellationError` if the run is canceled.
    func go(_ life: Life, to place: Place) throws {
        life.state.withLock { state in
            (state.place, state.since, state.isReported) = (place, ContinuousClock.now, false)
        }
        switch place {
        case .launch: break
        case .step(let index, _): life.crashReport.step = index + 1
        case .end: life.crashReport.step = -1
        }
        try checkCancellation()
    }

    func end(_ life: Life) {
        life.crashReport.retire()
        lives.withLock { $0.removeAll { $0 === life } }
    }

    // MARK: Standing still

    /// Calls a body, and reports stalled lives while it runs.
    func watching<R>(_ body: () throws -> R) rethrows -> R {
        CrashReport.begin()
        defer { CrashReport.end() }
        let condition = NSCondition()
        let isOver = Locked(false)
        let thread = Thread { [self] in
            condition.lock()
            defer { condition.unlock() }
            while !isOver.withLock({ $0 }) {
                let next = report()
                // Limits the wait: one of centuries traps (Foundation of Swift 6.3), and one of zero seconds would
                // occupy a core.
                let pause = min(max(next.seconds, 0.01), 3_600)
                _ = condition.wait(until: Date(timeIntervalSinceNow: pause))
            }
        }
        thread.name = "AppSimulation"
        thread.start()
        defer {
            condition.lock()
            isOver.withLock { $0 = true }
            condition.signal()
            condition.unlock()
        }
        return try body()
    }

    /// Reports stalled lives; returns the time until another life may count as stalled.
    private func report() -> Duration {
        let now = ContinuousClock.now
        var (lines, next) = ([String](), limit)
        for life in lives.withLock({ $0 }) {
            life.state.withLock { state in
                if state.isReported { return }
                let left = limit - (now - state.since)
                if left > .zero {
                    next = min(next, left)
                } else {
                    state.isReported = true
                    let call = state.scheduler?.waitingFor.first.map { ", in \($0)" } ?? ""
                    lines.append(
                        "a life of seed \(life.seed) has stood still for \(limit), \(state.place.text)\(call)"
                    )
                }
            }
        }
        for line in lines { say(line) }
        return next
    }
}

extension RunMonitor.Place {
    fileprivate var text: String {
        switch self {
        case .launch: "at the first launch"
        case .step(let index, let step): "at step \(index + 1), \(step)"
        case .end: "after its last step"
        }
    }
}

extension Duration {
    /// The duration in seconds.
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// The distribution of a simulation's lives to threads.
///
/// The result does not depend on it.
struct AppRunPlan: Sendable {
    private let seeds: [UInt64]
    private let stepCount: Int
    private let setup: AppSimulationSetup
    private let monitor: RunMonitor
    private let choices: AppStepGenerator.Choices

    init(seeds: [UInt64], steps: Int, setup: AppSimulationSetup, monitor: RunMonitor) {
        self.seeds = seeds
        stepCount = steps
        self.setup = setup
        self.monitor = monitor
        choices = setup.choices
    }

    private struct State {
        var next = 0
        /// The number of lives before the first that failed; all lives if none has failed.
        var end: Int
        /// The number of lives, counted from the first, whose coverage is merged.
        var merged = 0
        var coverage = AppCoverage()
        /// The coverages of lives that are merged after an earlier life, by index.
        var waiting: [Int: AppCoverage] = [:]
        /// The outcome of the life with the index ``end``, the first that failed.
        var outcome: Outcome?
        var isCanceled = false

        mutating func end(at run: Int, with outcome: Outcome) {
            if run < end { (end, self.outcome) = (run, outcome) }
        }

        mutating func merge(_ coverage: AppCoverage, of run: Int) {
            waiting[run] = coverage
            while merged < end, let next = waiting.removeValue(forKey: merged) {
                self.coverage.add(next)
                merged += 1
            }
        }
    }

    private enum Outcome {
        case violation(AppViolation, AppCoverage, SandboxTimeline)
        case error(any Error)
    }

    /// Runs all lives, and returns their coverage and the first failure.
    func performed(jobs: Int) async throws -> (AppCoverage, AppSimulationFailure?) {
        let state = Locked(State(end: seeds.count))
        return try await withTaskCancellationHandler {
            try await setup.onThread { try monitor.watching { try performHere(jobs: jobs, state) } }
        } onCancel: {
            monitor.cancel()
            state.withLock { $0.isCanceled = true }
        }
    }

    private func performHere(jobs: Int, _ state: Locked<State>) throws -> (AppCoverage, AppSimulationFailure?) {
        let jobs = min(jobs, seeds.count, setup.server?.mostJobs ?? .max)
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            do {
                // Outside of a life, on whose thread Foundation runs no process.
                let host = try setup.server?.start()
                while let run = state.withLock({ Self.next(&$0) }) { perform(run, host, state) }
            } catch {
                state.withLock { $0.end(at: -1, with: .error(error)) }
            }
        }
        var result = state.withLock { $0 }
        switch result.outcome {
        case .error(let error): throw error
        case .violation(let violation, let coverage, let events):
            let seed = seeds[result.end]
            let steps = steps(seed: seed)
            result.coverage.add(coverage)
            var failure = try monitor.withSeed(seed) {
                try setup.failure(of: violation, events, seed: seed, steps: steps, monitor, setup.server?.start())
            }
            failure.coverageTable = result.coverage.table
            failure.coverageSummary = result.coverage.summary(lives: result.end + 1, of: choices.rows)
            return (result.coverage, failure)
        case nil:
            if result.merged < seeds.count { throw CancellationError() }
            return (result.coverage, nil)
        }
    }

    private static func next(_ state: inout State) -> Int? {
        guard state.next < state.end, !state.isCanceled else { return nil }
        defer { state.next += 1 }
        return state.next
    }

    /// Returns the steps of a seed's life.
    private func steps(seed: UInt64) -> [AppStep] {
        var generator = AppStepGenerator(choices, seed: seed)
        return setup.beginning + generator.steps(stepCount)
    }

    private func perform(_ run: Int, _ host: (any AppServerHost)?, _ state: Locked<State>) {
        let result = Result {
            try monitor.withSeed(seeds[run]) {
                try setup.violation(seed: seeds[run], steps: steps(seed: seeds[run]), monitor, host)
            }
        }
        state.withLock { state in
            switch result {
            case .success(let (nil, coverage, _)): state.merge(coverage, of: run)
            case .success(let (violation?, coverage, events)):
                state.end(at: run, with: .violation(violation, coverage, events))
            case .failure(let error): state.end(at: run, with: .error(error))
            }
        }
    }
}
