/// The result of a simulation in which no rule was broken.
public struct AppSimulationReport: Sendable, CustomStringConvertible {
    /// The number of lives, those from a file of seeds included.
    public let runs: Int
    let coverage: AppCoverage

    /// The number of steps in all lives.
    public var steps: Int { coverage.count }

    /// How often steps of a kind were taken.
    public func count(of kind: AppStep.Kind) -> Int { coverage.totals[kind] ?? 0 }

    /// The number of lives and steps, and a table of which steps met which states.
    ///
    /// A step counts in each state that it meets. A 0 shows what the simulation never tried.
    public var description: String { "\(runs) runs, \(steps) steps, no rule broken\n\n\(coverage.table)" }
}
