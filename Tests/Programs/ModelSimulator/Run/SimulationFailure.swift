import StoreCore

/// A failed run.
package struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The simulation's seed.
    package let seed: UInt64
    /// The number of the run, from 0.
    package let run: Int
    /// The broken rule.
    package let rule: BrokenRule
    /// The run reduced to the operations that it takes to break a rule.
    package let shrunk: SimulatedRun

    /// The failure as one HTML page: the rule, the shrunk run to paste, and its timeline to look at.
    ///
    /// Performs the shrunk run once more. It is `SandboxTimeline.html` with a heading.
    package var page: String {
        shrunk.timeline().html(title: "\(rule)", about: "seed \(seed), run \(run):\n\(shrunk.source)")
    }

    /// The shrunk run as a scenario, see ``SimulatedRun/scenario``.
    package var scenario: String {
        "# seed \(seed), run \(run): \("\(rule)".replacing("\n", with: " "))\n\(shrunk.scenario)"
    }

    /// The failure in words, and the shrunk run to paste into a test.
    package var description: String {
        """
        seed \(seed), run \(run): \(rule)
        \(shrunk.source)
        """
    }
}
