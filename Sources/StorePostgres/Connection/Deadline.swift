import Foundation

/// A moment until which something is waited for.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// Creates a deadline some seconds from now, at most ten years.
    init(after seconds: TimeInterval) { instant = .now + .seconds(Self.bounded(seconds)) }

    /// Returns a time between 0 and ten years, which every clock can count.
    static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(0, seconds), 315_576_000) }

    /// The seconds left, at least 0.
    var seconds: TimeInterval {
        let left = ContinuousClock.now.duration(to: instant) / .seconds(1)
        return max(0, left)
    }

    /// Waits until a socket is ready.
    ///
    /// - Returns: false if the deadline passes first.
    func waits(for socket: Int32, _ events: Int16) -> Bool {
        var entry = pollfd(fd: socket, events: events, revents: 0)
        while true {
            let milliseconds = Int32(min(Double(Int32.max), (seconds * 1000).rounded(.up)))
            let ready = poll(&entry, 1, milliseconds)
            if ready > 0 { return true }
            if ready == 0 { return false }
            // Interrupted by a signal, or the socket is not one: the caller finds out which.
            if errno != EINTR { return true }
        }
    }
}
