import Foundation
import StoreCore

/// A response body that is sent incrementally until either side ends it, as for server-sent events.
///
/// Any thread may write. The connection uses no thread while there is nothing to send. A disconnected client is noticed when
/// something is sent.
package final class HTTPStream: Sendable {
    /// The result of a read.
    enum Reading {
        case bytes(Data)
        /// Nothing for now: the reader is woken later.
        case nothing
        case end
    }

    private struct State {
        /// The bytes that have not been read.
        var pending = Data()
        var isFinished = false
        var hasReader = false
        var wake: (@Sendable () -> Void)?
        /// The source of further bytes once everything has been sent.
        var source: (@Sendable () -> Data?)?
        /// Whether the source may have more.
        var isRung = false
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter capacity: the maximum number of bytes buffered for a slow client. The stream ends if there would be more.
    package init(capacity: Int = 1 << 20) { self.capacity = capacity }

    /// Creates a stream that fetches bytes when the client can take them, so that none are buffered for a slow client.
    ///
    /// - Parameter source: returns the next bytes, nil for none until ``ring()``. Called on a thread of the server, one call
    ///   at a time and without a lock; released when the stream ends.
    package init(source: @escaping @Sendable () -> Data?) {
        capacity = 0
        state.withLock { state in
            state.source = source
            state.isRung = true
        }
    }

    /// Notifies the stream that its source has more bytes.
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
            // Under the lock: once the stream has ended, the connection may be released.
            state.wake.take()?()
            return !state.isFinished
        }
    }

    /// Ends the stream after the bytes that were sent.
    package func finish() {
        let source = state.withLock { state in
            state.isFinished = true
            state.wake.take()?()
            return state.source.take()
        }
        // Released without the lock.
        withExtendedLifetime(source) {}
    }

    /// Claims the stream for a response, its only reader.
    ///
    /// A second reader is not allowed: each would receive a part of the bytes, and only one would be woken.
    func claim() {
        state.withLock { state in
            precondition(!state.hasReader, "an HTTPStream is the body of one response; a second one needs its own")
            state.hasReader = true
        }
    }

    /// Whether the stream has ended; earlier bytes may still be in transit.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Removes and returns the next bytes to send.
    ///
    /// - Parameters:
    ///   - count: the maximum number of bytes.
    ///   - sleep: called under the lock if there are none; returns the closure that wakes the reader, once.
    /// - Returns: the bytes, nothing yet, or the end.
    func read(atMost count: Int, sleep: () -> @Sendable () -> Void) -> Reading {
        while true {
            let (reading, source) = state.withLock { state -> (Reading, (@Sendable () -> Data?)?) in
                if !state.pending.isEmpty {
                    let bytes = Data(state.pending.prefix(count))
                    // A slice, so that the remainder is not copied each time.
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

    /// A reader that passes a stream's bytes to libmicrohttpd and suspends the connection while there are none.
    final class StreamReader {
        private let stream: HTTPStream
        private let connection: Connection
        private let released: () -> Void

        private struct Connection: @unchecked Sendable {  // unchecked: it may be resumed from any thread
            let pointer: OpaquePointer
        }

        /// Creates the only reader of a stream; `released` is called when the connection no longer needs it.
        init(_ stream: HTTPStream, _ connection: OpaquePointer, released: @escaping () -> Void) {
            stream.claim()
            self.stream = stream
            self.connection = Connection(pointer: connection)
            self.released = released
        }

        /// Returns a response that reads the stream, a block at a time, and then releases this reader.
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

        /// Copies bytes and returns their number; 0 if the connection is suspended, -1 at the end.
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
