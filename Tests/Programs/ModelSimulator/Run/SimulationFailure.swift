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

/// A rule that a run broke.
package struct BrokenRule: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in a sentence.
    package let sentence: String
    /// The number of completed operations; all of them, if the violation showed when the run was wound up.
    package let operation: Int

    /// The sentence and the operation's number.
    package var description: String { "\(sentence) (operation \(operation))" }
}
