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
        try checkNames(in: setup.beginning)
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
            let plan = AppRunPlan(seeds: seeds, steps: steps, setup: setup, monitor: monitor)
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
            try await setup.onThread { try monitor.watching { try setup.failure(seed: seed, steps: steps, monitor) } }
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
                if !setup.actions.contains(where: { $0.name == name }) { throw AppSimulationError.unknownAction(name) }
            case .buyElsewhere(let name), .promote(let name), .familyBuys(let name): try checkProduct(name)
            case .redeem(let offer, let name), .winBack(let offer, let name):
                try checkProduct(name)
                if !setup.choices.offers.contains(step) { throw AppSimulationError.unknownOffer(offer, of: name) }
            case .failDownload(let file):
                if !setup.choices.files.contains(file) { throw AppSimulationError.unknownFile(file) }
            default: break
            }
        }
    }

    private func checkProduct(_ name: String) throws {
        if !setup.products.contains(where: { $0.identifier == name }) { throw AppSimulationError.unknownProduct(name) }
    }

    private func checkClaims() throws {
        if setup.claims.isEmpty { throw AppSimulationError.nothingIsClaimed }
        for claim in setup.claims {
            switch claim {
            case .holds(let name, _), .delivers(let name, _):
                guard let product = setup.products.first(where: { $0.identifier == name }) else {
                    throw AppSimulationError.unknownProduct(name)
                }
                if product.kind != .consumable, product.kind != .nonRenewing {
                    throw AppSimulationError.isNotCounted(name)
                }
            case .allows(let name, _):
                guard let product = setup.products.first(where: { $0.identifier == name }) else {
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
