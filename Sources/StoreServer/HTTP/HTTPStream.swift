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
        /// What waits, behind the bytes that have been taken.
        var pending = Data()
        var isFinished = false
        var hasReader = false
        var wake: (@Sendable () -> Void)?
        /// What is asked for more once everything has been sent.
        var source: (@Sendable () -> Data?)?
        /// Whether the source may have more.
        var isRung = false
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter capacity: the most bytes that wait for a slow client. The stream ends when there would be more.
    package init(capacity: Int = 1 << 20) { self.capacity = capacity }

    /// Creates a stream whose bytes are fetched when there is room for them, so that none wait for a slow client.
    ///
    /// - Parameter source: returns the next bytes, nil for none until ``ring()``. Called on a thread of the server's, one call
    ///   at a time and without a lock; released when the stream ends.
    package init(source: @escaping @Sendable () -> Data?) {
        capacity = 0
        state.withLock { state in
            state.source = source
            state.isRung = true
        }
    }

    /// Has the source asked again.
    package func ring() {
        state.withLock { state in
            state.isRung = true
            state.wake.take()?()
        }
    }

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
        let source = state.withLock { state in
            state.isFinished = true
            state.wake.take()?()
            return state.source.take()
        }
        // Released without the lock.
        withExtendedLifetime(source) {}
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

    /// Whether it has ended; what was sent before may still be on its way.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Takes what there is to send.
    ///
    /// - Parameters:
    ///   - count: the most bytes to take.
    ///   - sleep: called if there is nothing, with the lock held; returns what wakes the reader, once.
    /// - Returns: the bytes, nothing yet, or the end.
    func read(atMost count: Int, sleep: () -> @Sendable () -> Void) -> Reading {
        while true {
            let (reading, source) = state.withLock { state -> (Reading, (@Sendable () -> Data?)?) in
                if !state.pending.isEmpty {
                    let bytes = Data(state.pending.prefix(count))
                    // A slice: the rest is not copied for each piece.
                    state.pending = state.pending.dropFirst(count)
                    if state.pending.isEmpty { state.pending = Data() }
                    return (.bytes(bytes), nil)
                }
                if state.isFinished { return (.end, nil) }
                if state.isRung, let source = state.source {
                    state.isRung = false
                    return (.nothing, source)
                }
                state.wake = sleep()
                return (.nothing, nil)
            }
            guard let source else { return reading }
            guard let more = source() else { continue }
            state.withLock { state in
                state.pending += more
                state.isRung = true
            }
        }
    }
}

#if canImport(CMicroHTTPD)
    import CMicroHTTPD

    /// What gives libmicrohttpd the bytes of a stream, and lets the connection sleep while there are none.
    final class StreamReader {
        private let stream: HTTPStream
        private let connection: Connection
        private let released: () -> Void

        private struct Connection: @unchecked Sendable {  // unchecked: it may be resumed from any thread
            let pointer: OpaquePointer
        }

        /// Creates the only reader of a stream, for a connection; `released` is called when the connection needs it no more.
        init(_ stream: HTTPStream, _ connection: OpaquePointer, released: @escaping () -> Void) {
            stream.claim()
            self.stream = stream
            self.connection = Connection(pointer: connection)
            self.released = released
        }

        /// Returns a response that reads the stream, a block at a time, and then releases this.
        ///
        /// Returns nil, and ends the stream, if there is no memory.
        func response(blockSize: Int = 4096) -> OpaquePointer? {
            let this = Unmanaged.passRetained(self)
            let response = MHD_create_response_from_callback(
                // The size is unknown.
                .max,
                blockSize,
                { this, _, place, count in
                    guard let this, let place else { return -1 }
                    return Unmanaged<StreamReader>.fromOpaque(this).takeUnretainedValue().read(to: place, count)
                },
                this.toOpaque(),
                { this in
                    guard let this else { return }
                    Unmanaged<StreamReader>.fromOpaque(this).takeRetainedValue().end()
                }
            )
            if response == nil {
                end()
                this.release()
            }
            return response
        }

        /// Writes bytes, and returns their number; 0 where the connection sleeps, and -1 at the end.
        private func read(to place: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
            let reading = stream.read(atMost: count) { [connection] in
                MHD_suspend_connection(connection.pointer)
                return { MHD_resume_connection(connection.pointer) }
            }
            switch reading {
            case .bytes(let bytes):
                bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: place, count: count))
                return bytes.count
            case .nothing: return 0
            case .end: return -1
            }
        }

        private func end() {
            stream.finish()
            released()
        }
    }
#endif
