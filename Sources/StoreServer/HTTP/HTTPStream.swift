import Foundation
import StoreCore

/// A response body that is sent in parts until the server or the client ends it, as for server-sent events.
///
/// Any thread may write. The connection occupies no thread while there is nothing to send. The disconnection of a
/// client is noticed when the next part is sent.
package final class HTTPStream: Sendable {
    /// The result of a read.
    enum Reading {
        case bytes(Data)
        /// There are no bytes now; the reader is woken when there are.
        case nothing
        case end
    }

    private struct State {
        /// The bytes that were written and have not been read.
        var pending = Data()
        var isFinished = false
        var hasReader = false
        var wake: (@Sendable () -> Void)?
        /// The source of further bytes, which is called once all pending bytes have been sent.
        var source: (@Sendable () -> Data?)?
        /// Whether the source may have more bytes.
        var isRung = false
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter capacity: the maximum number of bytes that are buffered for a slow client. A write that exceeds it
    ///   ends the stream.
    package init(capacity: Int = 1 << 20) { self.capacity = capacity }

    /// Creates a stream that fetches bytes when the client can take them, and buffers none for a slow client.
    ///
    /// - Parameter source: returns the next bytes; nil if there are none until ``ring()`` is called. It is called on
    ///   one of the server's threads, one call at a time and without a lock, and released when the stream ends.
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

    /// Appends bytes to the stream.
    ///
    /// - Returns: false once the stream has ended, because the client has disconnected or is too slow, or the server
    ///   stops.
    @discardableResult
    package func send(_ data: Data) -> Bool {
        state.withLock { state in
            if state.pending.count + data.count > capacity { state.isFinished = true }
            if !state.isFinished { state.pending += data }
            // Wakes the connection under the lock, since it may be released once the stream has ended.
            state.wake.take()?()
            return !state.isFinished
        }
    }

    /// Ends the stream once all bytes that were written have been sent.
    package func finish() {
        let source = state.withLock { state in
            state.isFinished = true
            state.wake.take()?()
            return state.source.take()
        }
        // Releases the source without the lock, since its captured objects are released with it.
        withExtendedLifetime(source) {}
    }

    /// Makes a response the only reader of the stream.
    ///
    /// A second reader stops the process: each of the two would receive only a part of the bytes, and only one would be
    /// woken.
    func claim() {
        state.withLock { state in
            precondition(!state.hasReader, "an HTTPStream is the body of one response; a second one needs its own")
            state.hasReader = true
        }
    }

    /// Whether the stream has ended; bytes that were written earlier may not have arrived yet.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Removes and returns the next bytes to send.
    ///
    /// - Parameters:
    ///   - count: the maximum number of bytes.
    ///   - sleep: called under the lock if there are no bytes. It returns the closure that wakes the reader, which is
    ///     called once.
    /// - Returns: the bytes, `nothing` if there are none yet, or the end.
    func read(atMost count: Int, sleep: () -> @Sendable () -> Void) -> Reading {
        while true {
            let (reading, source) = state.withLock { state -> (Reading, (@Sendable () -> Data?)?) in
                if !state.pending.isEmpty {
                    let bytes = Data(state.pending.prefix(count))
                    // Keeps the remainder as a slice of the same data, which avoids a copy at each read.
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

        /// Creates the only reader of a stream; `released` is called once the connection no longer uses the reader.
        init(_ stream: HTTPStream, _ connection: OpaquePointer, released: @escaping () -> Void) {
            stream.claim()
            self.stream = stream
            self.connection = Connection(pointer: connection)
            self.released = released
        }

        /// Returns a response that retains this reader and whose body is the stream, read block by block.
        ///
        /// If memory is exhausted, ends the stream and returns nil.
        func response(blockSize: Int = 4096) -> OpaquePointer? {
            let this = Unmanaged.passRetained(self)
            let response = MHD_create_response_from_callback(
                // The size of the body is unknown.
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

        /// Copies bytes to `place` and returns their number: 0 if the connection is suspended, or -1 at the end.
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
