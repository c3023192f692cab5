/// The result of a simulation in which no rule was broken.
public struct AppSimulationReport: Sendable, CustomStringConvertible {
    /// The number of lives, those from a file of seeds included.
    public private(set) var runs: Int
    private(set) var coverage: AppCoverage
    /// The number of calls on threads that belong to no launch.
    var strays = 0

    /// The number of steps in all lives.
    public var steps: Int { coverage.count }

    /// How often steps of a kind did something.
    ///
    /// An approval does nothing where nothing is to be decided.
    public func count(of kind: AppStep.Kind) -> Int { coverage.count(of: kind) }

    mutating func add(runs: Int, _ coverage: AppCoverage) {
        self.runs += runs
        self.coverage.add(coverage)
    }

    /// The number of lives and steps, and a table of which steps met which states.
    ///
    /// The first column has how often a step was drawn. Where it did something, it counts in each state that it met. A 0
    /// shows what the simulation never tried.
    public var description: String {
        """
        \(runs) runs, \(steps) steps, no rule broken

        \(coverage.table)
        """
    }

    /// A sentence about calls to Store Kit that came from threads of no launch meanwhile; nil if there were none.
    ///
    /// They may be those of an app that uses threads of its own, and did not reach the launch's store. It is no part of the
    /// description, which is the same for the same seed: whatever else runs in the process makes such calls, too.
    public var hint: String? { Self.hint(ofStrays: strays) }

    /// Returns what calls on threads that belong to no launch may mean.
    static func hint(ofStrays count: Int) -> String? {
        if count == 0 { return nil }
        return """
            (\(count) \(count == 1 ? "call" : "calls") to Store Kit meanwhile came from threads that belong to no launch, and did \
            not reach its store: does the app use threads or dispatch queues of its own, or Task.sleep in an actor's method \
            and not launch.clock?)
            """
    }
}
