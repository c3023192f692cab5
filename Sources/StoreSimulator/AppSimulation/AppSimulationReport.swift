import Foundation
import StoreCore

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
