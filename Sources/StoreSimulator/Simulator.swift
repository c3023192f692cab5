/// Lives many lives.
public enum Simulator {
    /// Lives seeded lives one after another, until one breaks a rule.
    public static func run(
        seed: UInt64,
        lives: Int,
        steps: Int = 50,
        standIn: @escaping StandIn = { $0 }
    ) -> SimulationReport {
        let coverage = Coverage()
        for life in 0..<lives {
            let own = seed &+ UInt64(life)
            var generator = StepGenerator(seed: own)
            let drawn = Life(seed: own, steps: generator.steps(steps), standIn: standIn)
            do { try drawn.run(coverage) } catch {
                let failure = SimulationFailure(seed: seed, life: life, rule: error, shrunk: drawn.shrunk())
                return SimulationReport(lives: life + 1, failure: failure, coverage: coverage)
            }
        }
        return SimulationReport(lives: lives, failure: nil, coverage: coverage)
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
    public let shrunk: Life

    /// The failure in words, and the shrunk life to paste into a test.
    public var description: String {
        """
        seed \(seed), life \(life): \(rule)
        \(shrunk.source)
        """
    }
}

extension SimulationReport: CustomStringConvertible {
    /// What was lived, or what went wrong, and how often each event met a transaction in each state.
    public var description: String {
        let outcome = failure?.description ?? "\(lives) lives, \(coverage.steps) steps, no rule broken"
        return "\(outcome)\n\n\(coverage.table)"
    }

    /// How often each event met a transaction in each state, a pair a line such as `purchased, signOut`.
    ///
    /// Pairs that cannot be are left out; see ``impossiblePairs``.
    public var reached: [String: Int] { coverage.reached }

    /// The pairs that cannot be, each with the reason.
    public static var impossiblePairs: [String: String] { Coverage.impossible }
}
