import Foundation

/// A request and its answer in the life of a server, or a step of that life.
struct ServerExchange: Hashable, Sendable {
    /// The date by the store's clock.
    let date: Date
    /// The request or the step.
    let what: String
    /// The answer; nil for a step.
    var answer: String?

    /// The exchange in a line.
    var line: String { "\(date.formatted(.iso8601))  \(what)\(answer.map { " -> \($0)" } ?? "")" }
}
