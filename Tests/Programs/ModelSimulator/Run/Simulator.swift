import Foundation

/// A simulator that performs many runs.
package enum Simulator {
    /// Performs seeded runs until one breaks a rule.
    ///
    /// Each run uses one thread and shares nothing with the others, so that the report does not depend on the number of
    /// threads.
    ///
    /// - Parameters:
    ///   - seed: the first run's seed; each further run has the next.
    ///   - runs: the number of runs.
    ///   - operations: the number of operations in each, before it is wound up.
    ///   - jobs: the maximum number of threads, at least 1; the number of the machine's cores unless given.
    ///   - transport: the transport between queues and stores, nil for half of the runs on each; the runs of one
    ///     transport have the seeds that lead to it, see ``SimulatedRun/seed``.
    ///   - storage: the storage of the store and the apps; in memory unless given.
    ///   - standIn: returns the backend in place of a device's; called on all of these threads.
    /// - Returns: the result up to the first run that breaks a rule, and that rule.
    package static func run(
        seed: UInt64,
        runs: Int,
        operations: Int = 50,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        transport: Transport? = nil,
        storage: Storage = .memory,
        standIn: @escaping StandIn = { $0 }
    ) -> SimulationReport {
        let queue = RunQueue(runs: runs)
        let draw: @Sendable (Int) -> SimulatedRun = { number in
            let own = transport?.seed(UInt64(number), from: seed) ?? seed &+ UInt64(number)
            var generator = OperationGenerator(seed: own)
            return SimulatedRun(
                seed: own,
                operations: generator.operations(operations),
                storage: storage,
                standIn: standIn
            )
        }
        DispatchQueue.concurrentPerform(iterations: max(jobs, 1)) { _ in
            while let block = queue.next() { queue.hand(in: block.performed(draw)) }
        }
        let (coverage, broken) = queue.result
        let failure = broken.map { run, rule in
            SimulationFailure(seed: seed, run: run, rule: rule, shrunk: draw(run).shrunk())
        }
        return SimulationReport(runs: failure.map { $0.run + 1 } ?? runs, failure: failure, coverage: coverage)
    }
}
