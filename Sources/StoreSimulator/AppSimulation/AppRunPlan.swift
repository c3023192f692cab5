import Foundation
import StoreCore

/// The lives of a simulation, distributed to threads; the result does not depend on which thread lived which.
struct AppRunPlan<App>: Sendable {
    let seeds: [UInt64]
    let steps: Int
    let simulation: AppSimulation<App>

    private struct State {
        var next = 0
        /// The number of lives that count: all, or those up to the first that breaks a rule.
        var end: Int
        /// The number of lives, from the first on, whose coverage is merged.
        var merged = 0
        var coverage = AppCoverage()
        /// The coverages of lives that wait for one before them.
        var waiting: [Int: AppCoverage] = [:]
        var error: (any Error)?

        mutating func merge(_ coverage: AppCoverage, of run: Int) {
            waiting[run] = coverage
            while merged < end, let next = waiting.removeValue(forKey: merged) {
                self.coverage.add(next)
                merged += 1
            }
        }
    }

    /// Lives all lives, and returns what they met and the first failure.
    func performed(jobs: Int) async throws -> (AppCoverage, AppSimulationFailure?) {
        try await simulation.onThread { try performHere(jobs: jobs) }
    }

    private func performHere(jobs: Int) throws -> (AppCoverage, AppSimulationFailure?) {
        let state = Locked(State(end: seeds.count))
        DispatchQueue.concurrentPerform(iterations: min(jobs, seeds.count)) { _ in
            while let run = state.withLock({ Self.next(&$0) }) { perform(run, state) }
        }
        let result = state.withLock { $0 }
        if let error = result.error { throw error }
        guard result.end < seeds.count else { return (result.coverage, nil) }
        let seed = seeds[result.end]
        let steps = simulation.steps(steps, seed: seed)
        return (result.coverage, try simulation.failure(seed: seed, steps: steps, drawn: steps.count))
    }

    private static func next(_ state: inout State) -> Int? {
        guard state.next < state.end, state.error == nil else { return nil }
        defer { state.next += 1 }
        return state.next
    }

    private func perform(_ run: Int, _ state: Locked<State>) {
        let result = Result {
            try simulation.violation(seed: seeds[run], steps: simulation.steps(steps, seed: seeds[run]))
        }
        state.withLock { state in
            switch result {
            case .success(let (violation, coverage, _)):
                if violation != nil { state.end = min(state.end, run) }
                state.merge(coverage, of: run)
            case .failure(let error): state.error = error
            }
        }
    }
}
