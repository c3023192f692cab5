import Foundation
import StoreCore

/// The result of a simulation in which no rule was broken.
public struct AppSimulationReport: Sendable, CustomStringConvertible {
    /// The number of lives, including those from a file of seeds.
    public private(set) var runs: Int
    private(set) var coverage: AppCoverage
    /// The rows of the steps that can be drawn.
    let rows: [AppStep.Row]
    /// The number of calls to Store Kit on threads that belong to no launch.
    var strays = 0

    /// The number of steps in all lives.
    public var steps: Int { coverage.count }

    /// The number of steps of a kind that had an effect.
    ///
    /// For example, an approval has no effect if nothing waits for a decision.
    public func count(of kind: AppStep.Kind) -> Int { coverage.count(of: kind) }

    mutating func add(runs: Int, _ coverage: AppCoverage) {
        self.runs += runs
        self.coverage.add(coverage)
    }

    /// The number of lives and steps, and the steps that were never tried, in one line.
    ///
    /// See ``coverageTable`` for the states in which steps occurred.
    public var description: String { coverage.summary(lives: runs, of: rows, outcome: ", no rule broken") }

    /// A table of the states in which steps occurred, of the boundaries of kills, and of the messages with a fault.
    ///
    /// The first column is the number of times that a step was drawn. A step with an effect counts in each state in
    /// which it occurred. A zero marks a combination that the simulation has never tried.
    public var coverageTable: String { coverage.table }

    /// A sentence about calls to Store Kit from threads that belong to no launch; nil if there were none.
    ///
    /// Such calls, perhaps by an app that uses its own threads, did not reach the launch's store. The sentence is not
    /// part of the description, because the description is the same for the same seed, and other code in the process
    /// may make such calls.
    package var hint: String? { Self.hint(ofStrays: strays) }

    /// Returns the possible meaning of calls on threads that belong to no launch.
    static func hint(ofStrays count: Int) -> String? {
        if count == 0 { return nil }
        return """
            (\(count) \(count == 1 ? "call" : "calls") to Store Kit meanwhile came from threads that belong to no launch, and did \
            not reach its store: does the app use threads or dispatch queues of its own, or Task.sleep in an actor's method \
            and not launch.clock?)
            """
    }
}

/// A life in which a purchase was lost, delivered twice or left unfinished, or another rule was broken.
public struct AppSimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The broken rule, in a sentence.
    public let sentence: String
    /// The seed of the life.
    public let seed: UInt64
    /// The number of steps in the life before it was reduced.
    package let drawn: Int
    /// The steps that are needed to break a rule.
    public let steps: [AppStep]
    /// The store's records of these steps, and the updates that the app received.
    public let events: SandboxTimeline
    /// The kills at boundaries during these steps.
    let kills: [AppKill]
    /// The steps, and the requests of the app, the store and the server to each other with their answers, a line each.
    ///
    /// It is empty in a simulation without a server.
    package let exchanges: [String]
    /// The ``events``, line by line.
    public var timeline: String { events.description }
    /// The page that was written to the folder of the file of seeds; nil if there is none.
    package internal(set) var pageFile: URL?

    /// The reason why the seed could not be saved; nil if it was saved, or if there is no file of seeds.
    var notKept: String?
    /// The number of calls to Store Kit on threads that belong to no launch.
    var strays = 0
    /// The generic products of the simulation, which steps buy by requests.
    var generic: [SandboxProduct] = []

    /// The life as Swift source, to be pasted into a test after the simulation.
    public var source: String {
        AppStep.source(seed: seed, steps: steps.map(\.description))
    }

    /// The boundaries of the kills, and the effects of the quirks, in a line each.
    package var explanations: [String] {
        var lines = kills.map(\.sentence)
        var kinds: [StoreQuirk.Kind] = []
        for case .quirk(let quirk, true) in steps where !kinds.contains(quirk.kind) { kinds.append(quirk.kind) }
        for kind in kinds {
            let systems = kind.systems.joined(separator: ", ")
            lines.append("with the quirk \(kind.rawValue): \(kind.sentence) (seen on \(systems); \(kind.source))")
        }
        return lines
    }

    /// The seed, the numbers of steps, the source, the kills and the quirks.
    private var course: String {
        let number = "seed \(seed), \(steps.count) of \(drawn) steps\(notKept.map { " (not kept: \($0))" } ?? ""):"
        return ([number, source] + explanations).joined(separator: "\n")
    }

    /// The failure as an HTML page with the sentence, the source to paste, and the timeline.
    ///
    /// The page is `SandboxTimeline.html` with a heading. If a test attaches the page, the test's report shows it.
    public var page: String {
        events.html(title: sentence, about: course)
    }

    /// The life as a scenario, which reproduces it in a store without the app.
    ///
    /// The app's own actions, its launches and the faults of its messages are comments. A line that the store may
    /// refuse begins with `try`, so a refusal does not end the scenario. Save the scenario as a file for `sandbox-store
    /// run`, or perform it with StoreScenario's `Scenario` on a store with the simulation's products.
    public var scenario: String {
        (["# \(sentence.replacing("\n", with: " "))", "# seed \(seed)"] + AppStep.scenarioPreparation
            + AppStep.scenarioLines(of: steps, generic: generic)).map { "\($0)\n" }.joined()
    }

    /// A table of the steps in the run's lives up to and including this one; nil for a single life.
    ///
    /// See ``AppSimulationReport/coverageTable``.
    public internal(set) var coverageTable: String?
    /// The ``coverageTable`` in one line.
    var coverageSummary: String?

    /// A sentence about calls to Store Kit from threads that belong to no launch; nil if there were none.
    ///
    /// The simulation also writes the sentence to standard error. Like ``AppSimulationReport/hint``, it is not part of
    /// the description.
    package var hint: String? { AppSimulationReport.hint(ofStrays: strays) }

    /// The sentence, the seed, the source, the boundaries of the kills, the quirks, the number of lives, the page's
    /// file, the exchanges with the server, and the timeline.
    public var description: String {
        let lines = [sentence, course, coverageSummary, pageFile.map { "to look at: \($0.path)" }]
        return (lines + (exchanges.isEmpty ? [] : [""] + exchanges)).compactMap(\.self).joined(separator: "\n")
            + "\n\n\(timeline)"
    }
}
