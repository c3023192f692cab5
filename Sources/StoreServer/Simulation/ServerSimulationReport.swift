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
    package internal(set) var duration = Duration.zero

    /// The number of lives in a minute.
    package var livesPerMinute: Int {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds > 0 ? Int(Double(runs) * 60 / seconds) : 0
    }

    /// The numbers in a sentence.
    public var description: String {
        "\(runs) lives, \(steps) steps, \(requests) requests, \(kills) kills, no rule broken; \(livesPerMinute) lives a minute"
    }
}
