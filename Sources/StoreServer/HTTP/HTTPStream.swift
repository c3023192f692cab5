import Foundation
import StoreCore

/// A body that is sent piece by piece, for as long as both sides wish: server-sent events, for instance.
///
/// It is the body of one response. Any thread may write. The connection takes no thread while there is nothing to send. That a
/// client has gone shows when something is sent.
package final class HTTPStream: Sendable {
    /// What a reader finds.
    enum Reading {
        case bytes(Data)
        /// Nothing until it is woken.
        case nothing
        case end
    }

    private struct State {
        var pending = Data()
        var isFinished = false
        var hasReader = false
        var wake: (@Sendable () -> Void)?
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter capacity: the most bytes that wait for a slow client. The stream ends when there would be more.
    package init(capacity: Int = 1 << 20) { self.capacity = capacity }

    /// Appends bytes.
    ///
    /// - Returns: false once the stream has ended: the client has gone or is too slow, or the server stops.
    @discardableResult
    package func send(_ data: Data) -> Bool {
        state.withLock { state in
            if state.pending.count + data.count > capacity { state.isFinished = true }
            if !state.isFinished { state.pending += data }
            // With the lock held: whoever ends the stream may then let the connection go.
            state.wake.take()?()
            return !state.isFinished
        }
    }

    /// Ends the stream behind what was sent.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.wake.take()?()
        }
    }

    /// Claims the stream for a response, which alone reads it.
    ///
    /// A stream that has a reader must not get another: each would be sent a part of the bytes, and only one woken.
    func claim() {
        state.withLock { state in
            precondition(!state.hasReader, "an HTTPStream is the body of one response; a second one needs its own")
            state.hasReader = true
        }
    }

    /// Takes what there is to send.
    ///
    /// - Parameters:
    ///   - count: the most bytes to take.
    ///   - sleep: called if there is nothing, with the lock held; returns what wakes the reader, once.
    /// - Returns: the bytes, nothing yet, or the end.
    func read(atMost count: Int, sleep: () -> @Sendable () -> Void) -> Reading {
        state.withLock { state in
            if state.pending.isEmpty {
                if state.isFinished { return .end }
                state.wake = sleep()
                return .nothing
            }
            let bytes = state.pending.prefix(count)
            state.pending = Data(state.pending.dropFirst(count))
            return .bytes(Data(bytes))
        }
    }
}
