/// A life in which the server did not say what the store knows, or failed.
public struct ServerSimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The broken rule, in a sentence about customers and the server.
    public let sentence: String
    /// The seed of the life.
    public let seed: UInt64
    /// The number of steps in the life before it was reduced.
    package let drawn: Int
    /// Whether the reduction ended early, after many trials, so that fewer steps may do.
    package let isUnfinished: Bool
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

        seed \(seed), \(steps.count) of \(drawn) steps\(isUnfinished ? "; the reduction ended early" : ""):
        \(steps.map { "    \($0)" }.joined(separator: "\n"))

        \(timeline)
        """
    }
}
