import Foundation
import StoreCore

/// A life in which something that was paid for was lost, delivered twice or left, or another rule was broken.
public struct AppSimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The broken rule, in a sentence.
    public let sentence: String
    /// The seed of the life.
    public let seed: UInt64
    /// The number of steps in the life that was drawn.
    public let drawn: Int
    /// The steps that it takes to break a rule.
    public let steps: [AppStep]
    /// What the store recorded in these steps, and what the app was told.
    public let events: SandboxTimeline
    /// The ``events``, line by line.
    public var timeline: String { events.description }
    /// The page that was written beside the file of seeds, nil where none was.
    public internal(set) var pageFile: URL?

    /// Why the seed could not be kept, nil where it was or nobody wanted it.
    var notKept: String?
    /// The number of calls on threads that belong to no launch.
    var strays = 0

    /// The life as Swift source, to paste into a test behind the simulation.
    public var source: String {
        let lines = steps.map { "    \($0),\n" }.joined()
        return ".run(seed: \(seed), steps: [\n\(lines)])"
    }

    /// The failure as one HTML page: the sentence, the source to paste, and the timeline to look at.
    ///
    /// It is `SandboxTimeline.html` with a heading. The report of a test shows it where the test attaches it.
    public var page: String {
        events.html(title: sentence, about: "seed \(seed), \(steps.count) of \(drawn) steps:\n\(source)")
    }

    /// The life as a scenario, which makes the same happen in a store without the app.
    ///
    /// What the app itself does, its launches and what spoils its messages are comments. Lines that a life goes on from when
    /// they are refused begin with `try`. Save it as a file for `sandbox-store run`, or perform it with StoreScenario's
    /// `Scenario` on a store with the simulation's products.
    public var scenario: String {
        (["# \(sentence.replacing("\n", with: " "))", "# seed \(seed)"] + AppStep.scenarioPreparation
            + AppStep.scenarioLines(of: steps)).map { "\($0)\n" }.joined()
    }

    /// What the lives of the run have tried, up to this one; nil for a single life.
    var coverage: AppCoverage?

    /// A sentence about calls to Store Kit that came from threads of no launch meanwhile; nil if there were none.
    ///
    /// The simulation writes it to standard error, too. It is no part of the description, as ``AppSimulationReport/hint`` is not.
    public var hint: String? { AppSimulationReport.hint(ofStrays: strays) }

    /// The sentence, the seed, the source, the page's file, the timeline, and what the lives up to this one have tried.
    public var description: String {
        """
        \(sentence)
        seed \(seed), \(steps.count) of \(drawn) steps\(notKept.map { " (not kept: \($0))" } ?? ""):
        \(source)\(pageFile.map { "\nto look at: \($0.path)" } ?? "")

        \(timeline)\(coverage.map { "\n\n\($0.table)" } ?? "")
        """
    }
}
