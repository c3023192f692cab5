import Foundation
import StoreCore

extension AppSimulation {
    /// Lives many lives, until one breaks a rule.
    ///
    /// Each life uses one thread and shares nothing with the others. The same seed gives the same result on any number of
    /// threads.
    ///
    /// - Parameters:
    ///   - seed: the first life's seed; each further life has the next.
    ///   - runs: the number of lives, at least 1.
    ///   - steps: the number of steps in each, at least 1, without those that each life begins with. With another number
    ///     a seed's life is another, which ends earlier or later.
    ///   - jobs: the maximum number of threads, at least 1; the number of the machine's cores unless given.
    /// - Returns: the number of lives and steps, and which steps met which states.
    /// - Throws: an ``AppSimulationFailure`` for the first life that breaks a rule, an ``AppSimulationError`` for a mistake
    ///   in the simulation, and the errors of a file of seeds.
    @discardableResult
    public func run(
        seed: UInt64 = 1,
        runs: Int = 1_000,
        steps: Int = 40,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount
    ) async throws -> AppSimulationReport {
        for number in [runs, steps, jobs] where number < 1 { throw AppSimulationError.wrongNumber(number) }
        try checkClaims()
        try checkNames(in: beginning)
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
        let strays = StrayCalls.count
        StrayCalls.begin()
        defer { StrayCalls.end() }
        var report = AppSimulationReport(runs: 0, coverage: AppCoverage())
        // One by one, so that it is known which of them ends the process.
        for (seeds, jobs) in crashed.map({ ([$0], 1) }) + [(kept + (0..<UInt64(runs)).map { seed &+ $0 }, jobs)] {
            let plan = AppRunPlan(seeds: seeds, steps: steps, simulation: self, monitor: monitor)
            let (coverage, failure) = try await plan.performed(jobs: jobs)
            report.add(runs: seeds.count, coverage)
            report.strays = StrayCalls.count - strays
            if var failure {
                failure.strays = report.strays
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

    /// Lives one life again, as a failure prints it.
    ///
    /// - Parameters:
    ///   - seed: the life's seed, which decides about the wire.
    ///   - steps: the steps.
    /// - Throws: an ``AppSimulationFailure`` if it breaks a rule, and an ``AppSimulationError`` for a mistake in the
    ///   simulation or in the steps, such as a product that it does not sell.
    public func run(seed: UInt64, steps: [AppStep]) async throws {
        try checkClaims()
        try checkNames(in: steps)
        let monitor = RunMonitor(limit: patience, say: say)
        let strays = StrayCalls.count
        StrayCalls.begin()
        defer { StrayCalls.end() }
        let found = try await withTaskCancellationHandler {
            try await onThread { try monitor.watching { try self.failure(seed: seed, steps: steps, monitor) } }
        } onCancel: {
            monitor.cancel()
        }
        guard var failure = found else { return }
        failure.strays = StrayCalls.count - strays
        if let hint = failure.hint { say(hint) }
        throw failure
    }

    /// Checks that the simulation has what steps name: those that act on nothing would pass for ever.
    private func checkNames(in steps: [AppStep]) throws {
        for step in steps {
            switch step {
            case .action(let name):
                if !actions.contains(where: { $0.name == name }) { throw AppSimulationError.unknownAction(name) }
            case .buyElsewhere(let name), .promote(let name), .familyBuys(let name): try checkProduct(name)
            case .redeem(let offer, let name), .winBack(let offer, let name):
                try checkProduct(name)
                if !choices.offers.contains(step) { throw AppSimulationError.unknownOffer(offer, of: name) }
            case .failDownload(let file):
                if !choices.files.contains(file) { throw AppSimulationError.unknownFile(file) }
            default: break
            }
        }
    }

    private func checkProduct(_ name: String) throws {
        if !products.contains(where: { $0.identifier == name }) { throw AppSimulationError.unknownProduct(name) }
    }

    private func checkClaims() throws {
        if claims.isEmpty { throw AppSimulationError.nothingIsClaimed }
        for claim in claims {
            switch claim {
            case .holds(let name, _), .delivers(let name, _):
                guard let product = products.first(where: { $0.identifier == name }) else {
                    throw AppSimulationError.unknownProduct(name)
                }
                if product.kind != .consumable, product.kind != .nonRenewing {
                    throw AppSimulationError.isNotCounted(name)
                }
            case .allows(let name, _):
                guard let product = products.first(where: { $0.identifier == name }) else {
                    throw AppSimulationError.unknownProduct(name)
                }
                if product.kind == .consumable || product.kind == .nonRenewing {
                    throw AppSimulationError.isNotAccess(name)
                }
            case .invariant: break
            }
        }
    }
}

// MARK: - One life

extension AppSimulation {
    /// Lives a life on the calling thread.
    ///
    /// Returns the rule that it breaks, nil for none, and then what the store recorded.
    func violation(
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor,
        tracesDeliveries: Bool = false
    ) throws -> (AppLife<App>.Violation?, AppCoverage, SandboxTimeline) {
        try monitor.checkCancellation()
        let life = try AppLife(self, seed: seed, monitor)
        life.store.tracesDeliveries = tracesDeliveries
        do {
            try life.live(steps)
            return (nil, life.coverage, SandboxTimeline())
        } catch let violation as AppLife<App>.Violation {
            return (violation, life.coverage, (try? life.store.timeline) ?? SandboxTimeline())
        }
    }

    /// Lives a life, and returns the failure of the shortest life that breaks a rule as well; nil if it breaks none.
    func failure(seed: UInt64, steps: [AppStep], _ monitor: RunMonitor) throws -> AppSimulationFailure? {
        let (violation, _, events) = try violation(seed: seed, steps: steps, monitor)
        return try violation.map { try failure(of: $0, events, seed: seed, steps: steps, monitor) }
    }

    /// Returns the failure of the shortest life that breaks a rule, as a life has done; of this one if it does not repeat.
    func failure(
        of violation: AppLife<App>.Violation,
        _ events: SandboxTimeline,
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor
    ) throws -> AppSimulationFailure {
        func failure(_ sentence: String, _ shrunk: [AppStep], _ events: SandboxTimeline) -> AppSimulationFailure {
            .init(sentence: sentence, seed: seed, drawn: steps.count, steps: shrunk, events: events)
        }
        if let again = try self.violation(seed: seed, steps: steps, monitor).0 {
            let shrunk = try shrunk(seed: seed, steps: steps, again, monitor)
            // Only now, for no other life is looked at.
            let (last, _, told) = try self.violation(seed: seed, steps: shrunk, monitor, tracesDeliveries: true)
            if let last { return failure(last.sentence, shrunk, told) }
        }
        return failure("\(violation.sentence), which the same seed did not bring about again", steps, events)
    }

    /// Calls a body on a thread that may be used up.
    func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
