import Foundation

/// The result of a simulation in which the server said what the store knows in every life.
public struct ServerSimulationReport: Sendable, CustomStringConvertible {
    /// The number of lives.
    public internal(set) var runs = 0
    /// The number of steps in all lives.
    public internal(set) var steps = 0
    /// The number of requests to the server.
    public internal(set) var requests = 0
    /// The number of times that the server was killed.
    public internal(set) var kills = 0
    /// The real time of the run.
    public internal(set) var duration = Duration.zero

    /// The number of lives in a minute.
    public var livesPerMinute: Int {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds > 0 ? Int(Double(runs) * 60 / seconds) : 0
    }

    /// The numbers in a sentence.
    public var description: String {
        "\(runs) lives, \(steps) steps, \(requests) requests, \(kills) kills, no rule broken; \(livesPerMinute) lives a minute"
    }
}

/// A life in which the server did not say what the store knows, or failed.
public struct ServerSimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The broken rule, in a sentence about customers and the server.
    public let sentence: String
    /// The seed of the life.
    public let seed: UInt64
    /// The number of steps in the life before it was reduced.
    public let drawn: Int
    /// The steps that are needed to break the rule, one in each line: a command of the scenario language, or a comment
    /// that says what happened on the network or to the server.
    public let steps: [String]
    /// The requests and answers with the store's time, line by line.
    public let timeline: String
    /// The life as a scenario, which `sandbox-store run` performs on a store.
    ///
    /// What happened on the network and to the server is in comments.
    public let scenario: String

    /// The sentence, the steps, and the timeline.
    public var description: String {
        """
        \(sentence)

        seed \(seed), \(steps.count) of \(drawn) steps:
        \(steps.map { "    \($0)" }.joined(separator: "\n"))

        \(timeline)
        """
    }
}
