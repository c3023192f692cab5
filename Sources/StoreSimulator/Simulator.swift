import Foundation

/// A simulator that performs many runs.
public enum Simulator {
    /// Performs seeded runs until one breaks a rule.
    ///
    /// Each run uses one thread and shares nothing with the others, so that the report does not depend on the number of
    /// threads.
    /// threads there are.
    ///
    /// - Parameters:
    ///   - seed: the first run's seed; each further run has the next.
    ///   - lives: the number of runs.
    ///   - steps: the number of operations in each, before it is wound up.
    ///   - jobs: the maximum number of threads, at least 1; the number of the machine's cores unless given.
    ///   - road: the road between queues and stores, nil for half of the runs on each; the runs of one road have the
    ///     seeds that lead to it, see ``SimulatedRun/seed``.
    ///   - storage: the storage of the store and the apps; in memory unless given.
    ///   - standIn: returns the backend in place of a device's; called on all of these threads.
    ///   - progress: receives the number of further completed runs; called on all of these threads.
    /// - Returns: the result up to the first run that breaks a rule, and that rule.
    public static func run(
        seed: UInt64,
        lives: Int,
        steps: Int = 50,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        road: Road? = nil,
        storage: Storage = .memory,
        standIn: @escaping StandIn = { $0 },
        progress: (@Sendable (_ lives: Int) -> Void)? = nil
    ) -> SimulationReport {
        let queue = LifeQueue(lives: lives)
        let draw: @Sendable (Int) -> SimulatedRun = { number in
            let own = road?.seed(UInt64(number), from: seed) ?? seed &+ UInt64(number)
            var generator = StepGenerator(seed: own)
            return SimulatedRun(seed: own, steps: generator.steps(steps), storage: storage, standIn: standIn)
        }
        DispatchQueue.concurrentPerform(iterations: max(jobs, 1)) { _ in
            while let block = queue.next() {
                queue.hand(in: block.lived(draw))
                progress?(block.lives.count)
            }
        }
        let (coverage, broken) = queue.result
        let failure = broken.map { life, rule in
            SimulationFailure(seed: seed, life: life, rule: rule, shrunk: draw(life).shrunk())
        }
        return SimulationReport(lives: failure.map { $0.life + 1 } ?? lives, failure: failure, coverage: coverage)
    }
}

/// The result of a simulation.
public struct SimulationReport: Sendable {
    /// The number of runs, the failed one included.
    public let lives: Int
    /// The failure, nil if there is none.
    public let failure: SimulationFailure?
    let coverage: Coverage
}

/// A failed run.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The simulation's seed.
    public let seed: UInt64
    /// The number of the run, from 0.
    public let life: Int
    /// The broken rule.
    public let rule: BrokenRule
    /// The run reduced to the operations that it takes to break a rule.
    public let shrunk: SimulatedRun

    /// The failure in words, and the shrunk run to paste into a test.
    public var description: String {
        """
        seed \(seed), life \(life): \(rule)
        \(shrunk.source)
        """
    }
}

extension SimulationReport: CustomStringConvertible {
    /// The number of runs, or the failure, and the coverage, in some lines.
    public var description: String {
        let outcome = failure?.description ?? "\(lives) lives, \(coverage.steps) steps, no rule broken"
        return "\(outcome)\n\n\(coverage.summary)"
    }

    /// Tables of how often each event met each state, and a list of the pairs that were not met.
    public var tables: String { coverage.table }

    /// The number of times that each event met a transaction, a payment in flight or a subscription in each of its
    /// states, under names such as `purchased, signOut`.
    ///
    /// Impossible pairs are left out; see ``impossiblePairs``.
    public var reached: [String: Int] { coverage.reached }

    /// The number of times that queues on the direct road met each of its events, under names such as `exchange`,
    /// `ring` and `rung, store dies`.
    public var reachedDirectly: [String: Int] { coverage.direct.reached }

    /// The impossible pairs, each with the reason.
    public static var impossiblePairs: [String: String] { Coverage.impossible }
}
