#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation

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
