import Foundation
import StoreCore

/// The last lines of a log, which are numbered from 1, with an observer of each new line.
package final class RecentLog<Line: Sendable>: Sendable {
    private struct State {
        var lines = Deque<Line>()
        var count = 0
    }

    private let state = Locked(State())
    private let clock: any StoreClock
    private let observer: @Sendable (Line) -> Void

    /// The maximum number of lines.
    private static var limit: Int { 1000 }

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - clock: the clock for the dates of lines.
    ///   - observer: receives each line, on any thread, without a lock held.
    package init(_ clock: any StoreClock, observer: @escaping @Sendable (Line) -> Void = { _ in }) {
        (self.clock, self.observer) = (clock, observer)
    }

    /// Adds a line, and drops the oldest one if there are too many.
    ///
    /// - Parameter line: returns the line with a number and a date.
    func add(_ line: (Int, Date) -> Line) {
        let date = clock.now
        let added = state.withLock { state in
            state.count += 1
            if state.lines.count == Self.limit { _ = state.lines.removeFirst() }
            let added = line(state.count, date)
            state.lines.append(added)
            return added
        }
        observer(added)
    }

    /// Returns the lines after a number, oldest first.
    func lines(after number: Int, limit: Int) -> [Line] {
        state.withLock { state in
            let first = state.count - state.lines.count
            let start = max(0, number - first)
            guard start < state.lines.count else { return [] }
            return (start..<min(state.lines.count, start + limit)).map { state.lines[$0] }
        }
    }

    /// The number of lines that remain.
    var count: Int { state.withLock { $0.lines.count } }

    /// Returns the lines before a number, newest first; nil stands for a number that no line has yet.
    func newest(before number: Int?, limit: Int) -> [Line] {
        state.withLock { state in
            let first = state.count - state.lines.count
            let end = min(max((number ?? .max) - 1 - first, 0), state.lines.count)
            return (max(0, end - limit)..<end).reversed().map { state.lines[$0] }
        }
    }
}
