import Foundation
import StoreCore

/// The last requests that the App Store's servers answered.
///
/// A line has neither the body nor the headers, which may contain receipts and tokens.
package final class RequestLog: Sendable {
    /// A request and the answer's status.
    struct Line: Sendable {
        /// The number of the request, from 1.
        let number: Int
        /// The date by the store's clock.
        let date: Date
        let method: String
        /// The path, without the query.
        let path: String
        let status: Int
    }

    private struct State {
        var lines = Deque<Line>()
        var count = 0
    }

    private let state = Locked(State())
    private let clock: any StoreClock

    /// The maximum number of lines.
    private static var limit: Int { 1000 }

    init(_ clock: any StoreClock) { self.clock = clock }

    /// Adds a request, and drops the oldest one if there are too many.
    func add(_ request: HTTPRequest, status: Int) {
        let (date, path) = (clock.now, "/" + request.path.joined(separator: "/").shortened(to: 1000))
        state.withLock { state in
            state.count += 1
            if state.lines.count == Self.limit { _ = state.lines.removeFirst() }
            state.lines.append(
                Line(number: state.count, date: date, method: request.method, path: path, status: status)
            )
        }
    }

    /// Returns the requests after a number, oldest first.
    func lines(after number: Int, limit: Int) -> [Line] {
        state.withLock { state in
            let first = state.count - state.lines.count
            let start = max(0, number - first)
            guard start < state.lines.count else { return [] }
            return (start..<min(state.lines.count, start + limit)).map { state.lines[$0] }
        }
    }
}
