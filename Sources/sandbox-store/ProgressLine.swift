import Foundation

/// The line that shows a simulation's progress on a terminal, each time written over the previous one.
struct ProgressLine {
    private let total: Int
    private var done = 0
    private var lastUpdate: TimeInterval?

    /// The time between two updates, in seconds.
    private static let pause = 0.1
    /// The sequence that erases the line that the cursor is on.
    static let erasure = "\r\u{1B}[K"

    init(total: Int) { self.total = total }

    /// Counts runs.
    ///
    /// - Parameters:
    ///   - runs: the number of runs since the previous call.
    ///   - elapsed: the time since the beginning, in seconds.
    /// - Returns: the text to write; nil if the line was updated just before.
    mutating func add(_ runs: Int, elapsed: TimeInterval) -> String? {
        done += runs
        if let lastUpdate, elapsed < lastUpdate + Self.pause { return nil }
        lastUpdate = elapsed
        return Self.erasure + Self.text(done: done, of: total, elapsed: elapsed)
    }

    /// Returns the number of runs, their rate per second, and the remaining time.
    static func text(done: Int, of total: Int, elapsed: TimeInterval) -> String {
        let count = "\(done) of \(total) runs"
        guard done > 0, elapsed > 0 else { return count }
        let rate = Double(done) / elapsed
        let speed = rate < 9.95 ? String(format: "%.1f", rate) : String(format: "%.0f", rate)
        let rest = duration((Double(total - done) / rate).rounded(.up))
        return "\(count), \(speed) a second, \(rest) left"
    }

    private static func duration(_ seconds: TimeInterval) -> String {
        // A slow first run may promise more than an `Int` holds.
        let seconds = Int(min(seconds, 1e9))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
