#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation
    import StoreCore

    /// The layer between libmicrohttpd's threads and the handler, which counts the requests in progress.
    // unchecked: `answering` is accessed only under the lock of `condition`.
    final class HTTPGate: @unchecked Sendable {
        let connections: HTTPConnections
        private let limits: HTTPLimits
        private let isSecure: Bool
        private let handler: @Sendable (HTTPRequest) -> HTTPResponse
        private let condition = NSCondition()
        private var answering = 0
        private let streams = Locked(Streams())

        private struct Streams {
            var all: [ObjectIdentifier: HTTPStream] = [:]
            var haveEnded = false
        }

        init(
            _ limits: HTTPLimits,
            _ clock: any StoreClock,
            isSecure: Bool,
            _ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
        ) {
            (self.limits, self.isSecure, self.handler) = (limits, isSecure, handler)
            connections = HTTPConnections(limits, clock)
        }

        static func at(_ pointer: UnsafeMutableRawPointer) -> HTTPGate {
            Unmanaged<HTTPGate>.fromOpaque(pointer).takeUnretainedValue()
        }

        /// Reads a request's headers or a part of its body; at the request's end, calls the handler.
        func take(
            _ reader: RequestReader,
            _ part: UnsafeRawBufferPointer,
            _ method: String,
            _ version: String,
            _ connection: OpaquePointer
        ) -> MHD_Result {
            let limits = self.limits.for(reader.target)
            if !reader.hasBegun {
                guard let refusal = reader.begin(connection, version, limits) else { return .YES }
                // The remainder of the request is not read, so the connection is closed after the response.
                return reader.headSize < limits.memory - Self.reserve
                    ? queue(refusal, on: connection) : write(refusal, on: connection)
            }
            if !part.isEmpty { return reader.append(part, limits) ? .YES : .NO }
            if reader.isTooLong { return queue(RequestReader.tooLong, on: connection) }
            HTTPConnection.of(connection).map { connections.note($0, owesRequest: false) }
            add(1)
            return queue(handler(reader.finish(method)), on: connection)
        }

        /// Notes that a request begins on a connection.
        func begun(_ reader: RequestReader, on connection: HTTPConnection) {
            connection.reader = reader
            connections.note(connection, owesRequest: true)
        }

        /// Notes that a response was sent on a connection, or that the client has disconnected.
        func completed(on connection: HTTPConnection) {
            if connection.reader.take()?.isAnswered == true { add(-1) }
            connections.note(connection, owesRequest: true)
        }

        /// The part of a connection's memory that a response's headers need, in bytes.
        private static let reserve = 4096

        /// Writes a response directly to the socket, and closes the connection.
        ///
        /// If the request's headers fill the connection's memory, libmicrohttpd has no space for the headers of a
        /// response.
        private func write(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
            let text = "HTTP/1.1 \(answer.status) Too Long\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            // Over TLS, only libmicrohttpd can write to the socket.
            if !isSecure {
                _ = send(store_connection_socket(connection), text, text.utf8.count, StreamSocket.sendFlags)
            }
            return .NO
        }

        /// Waits until no request is in progress, for at most ``HTTPLimits/patience`` seconds.
        func waitForAnswers() {
            condition.lock()
            let end = Date(timeIntervalSinceNow: limits.patience)
            while answering > 0, condition.wait(until: end) {}
            condition.unlock()
        }

        /// Ends all streams, and each later stream as soon as it begins.
        func endStreams() {
            let streams = streams.withLock { streams in
                streams.haveEnded = true
                return streams.all.values.map { $0 }
            }
            for stream in streams { stream.finish() }
        }

        private func add(_ count: Int) {
            condition.lock()
            answering += count
            if answering == 0 { condition.broadcast() }
            condition.unlock()
        }

        private func queue(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
            guard let response = answer.stream.map({ reader(of: $0, connection).response() }) ?? body(answer.body)
            else { return .NO }
            defer { MHD_destroy_response(response) }
            for (name, value) in answer.headers { _ = MHD_add_response_header(response, name, value) }
            return MHD_queue_response(connection, UInt32(answer.status), response)
        }

        private func body(_ body: Data) -> OpaquePointer? {
            body.withUnsafeBytes { body in
                MHD_create_response_from_buffer(
                    body.count,
                    UnsafeMutableRawPointer(mutating: body.baseAddress),
                    .RESPMEM_MUST_COPY
                )
            }
        }

        private func reader(of stream: HTTPStream, _ connection: OpaquePointer) -> StreamReader {
            let haveEnded = streams.withLock { streams in
                streams.all[ObjectIdentifier(stream)] = stream
                return streams.haveEnded
            }
            if haveEnded { stream.finish() }
            return StreamReader(stream, connection) { [streams] in
                _ = streams.withLock { $0.all.removeValue(forKey: ObjectIdentifier(stream)) }
            }
        }
    }
#endif
