import Foundation

/// The pauses between attempts to connect: each twice the one before, from 50 milliseconds to 5 seconds.
struct ReconnectPolicy: Sendable {
    private static let first: TimeInterval = 0.05
    private static let last: TimeInterval = 5

    private var failures = 0

    /// The pause after a failed attempt, in seconds.
    mutating func pauseAfterFailure() -> TimeInterval {
        defer { failures += 1 }
        return min(Self.last, Self.first * pow(2, Double(min(failures, 16))))
    }

    /// Begins with the shortest pause again.
    mutating func succeeded() { failures = 0 }
}
