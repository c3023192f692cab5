/// A failed run.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The simulation's seed.
    public let seed: UInt64
    /// The number of the run, from 0.
    public let run: Int
    /// The broken rule.
    public let rule: BrokenRule
    /// The run reduced to the operations that it takes to break a rule.
    public let shrunk: SimulatedRun

    /// The failure in words, and the shrunk run to paste into a test.
    public var description: String {
        """
        seed \(seed), run \(run): \(rule)
        \(shrunk.source)
        """
    }
}
