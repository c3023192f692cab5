import Foundation

/// The line that shows on a terminal how far a simulation has come, each time written over the one before.
struct ProgressLine {
    private let total: Int
    private var done = 0
    private var lastUpdate: TimeInterval?

    /// Seconds between two updates.
    private static let pause = 0.1
    /// Erases the line that the cursor is on.
    static let erasure = "\r\u{1B}[K"

    init(total: Int) { self.total = total }

    /// Counts lives.
    ///
    /// - Parameters:
    ///   - lives: how many have been lived since the call before.
    ///   - elapsed: seconds since the beginning.
    /// - Returns: what to write; nil if the line was updated just before.
    mutating func add(_ lives: Int, elapsed: TimeInterval) -> String? {
        done += lives
        if let lastUpdate, elapsed < lastUpdate + Self.pause { return nil }
        lastUpdate = elapsed
        return Self.erasure + Self.text(done: done, of: total, elapsed: elapsed)
    }

    /// How many lives have been lived, how many that is in a second, and how long the rest will take.
    static func text(done: Int, of total: Int, elapsed: TimeInterval) -> String {
        let count = "\(done) of \(total) lives"
        guard done > 0, elapsed > 0 else { return count }
        let rate = Double(done) / elapsed
        let speed = rate < 9.95 ? String(format: "%.1f", rate) : String(format: "%.0f", rate)
        let rest = duration((Double(total - done) / rate).rounded(.up))
        return "\(count), \(speed) a second, \(rest) left"
    }

    private static func duration(_ seconds: TimeInterval) -> String {
        // A first life that takes long may promise more than an `Int` holds.
        let seconds = Int(min(seconds, 1e9))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
