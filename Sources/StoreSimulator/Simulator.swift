import Foundation

/// Lives many lives.
public enum Simulator {
    /// Lives seeded lives, until one breaks a rule.
    ///
    /// Each life is lived on one thread and shares nothing with the others, so that the report is the same however many
    /// threads there are.
    ///
    /// - Parameters:
    ///   - seed: the first life's; each further one has the next.
    ///   - lives: how many.
    ///   - steps: how many things happen in each, before it is wound up.
    ///   - jobs: on how many threads at the most, at least 1; as many as the machine has cores unless given.
    ///   - road: how queues and stores come together, nil for half of the lives on each road; the lives of one road have the
    ///     seeds that lead to it, see ``SimulatedRun/seed``.
    ///   - storage: where the store and the apps keep what outlives them; in memory unless given.
    ///   - standIn: what stands in for the devices' backends; called on all of these threads.
    ///   - progress: hears how many more lives have been lived; called on all of these threads.
    /// - Returns: what was lived up to the first life that breaks a rule, and what that broke.
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

/// What came of a simulation.
public struct SimulationReport: Sendable {
    /// How many lives were lived, the failed one included.
    public let lives: Int
    /// What went wrong, nil for nothing.
    public let failure: SimulationFailure?
    let coverage: Coverage
}

/// A life that broke a rule.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The simulation's seed.
    public let seed: UInt64
    /// Which life it was, from 0.
    public let life: Int
    /// What it broke.
    public let rule: BrokenRule
    /// The same life with everything taken out that it does not take to break a rule.
    public let shrunk: SimulatedRun

    /// The failure in words, and the shrunk life to paste into a test.
    public var description: String {
        """
        seed \(seed), life \(life): \(rule)
        \(shrunk.source)
        """
    }
}

extension SimulationReport: CustomStringConvertible {
    /// What was lived, or what went wrong, and how much of what could have been met was met, in some lines.
    public var description: String {
        let outcome = failure?.description ?? "\(lives) lives, \(coverage.steps) steps, no rule broken"
        return "\(outcome)\n\n\(coverage.summary)"
    }

    /// Tables of how often each event met what in which state, and a list of all that was not met.
    public var tables: String { coverage.table }

    /// How often each event met a transaction, a payment on its way or a subscription in each of its states, under names such
    /// as `purchased, signOut`.
    ///
    /// Pairs that cannot be are left out; see ``impossiblePairs``.
    public var reached: [String: Int] { coverage.reached }

    /// How often queues that ask their stores directly met each thing there is to meet on that road, under names such as
    /// `exchange`, `ring` and `rung, store dies`.
    public var reachedDirectly: [String: Int] { coverage.direct.reached }

    /// The pairs that cannot be, each with the reason.
    public static var impossiblePairs: [String: String] { Coverage.impossible }
}
