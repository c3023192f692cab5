import Foundation
import StoreCore

/// The lives of a simulation, distributed to threads; the result does not depend on which thread lived which.
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
        /// The number of lives that count: all, or those up to the first that breaks a rule.
        var end: Int
        /// The number of lives, from the first on, whose coverage is merged.
        var merged = 0
        var coverage = AppCoverage()
        /// The coverages of lives that wait for one before them.
        var waiting: [Int: AppCoverage] = [:]
        /// The outcome of the first run that does not count.
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
        case violation(AppLife.Violation, AppCoverage, SandboxTimeline)
        case error(any Error)
    }

    /// Lives all lives, and returns what they met and the first failure.
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
        DispatchQueue.concurrentPerform(iterations: min(jobs, seeds.count)) { _ in
            while let run = state.withLock({ Self.next(&$0) }) { perform(run, state) }
        }
        var result = state.withLock { $0 }
        switch result.outcome {
        case .error(let error): throw error
        case .violation(let violation, let coverage, let events):
            let seed = seeds[result.end]
            let steps = steps(seed: seed)
            result.coverage.add(coverage)
            var failure = try monitor.withSeed(seed) {
                try setup.failure(of: violation, events, seed: seed, steps: steps, monitor)
            }
            failure.coverage = result.coverage
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

    private func perform(_ run: Int, _ state: Locked<State>) {
        let result = Result {
            try monitor.withSeed(seeds[run]) {
                try setup.violation(seed: seeds[run], steps: steps(seed: seeds[run]), monitor)
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
