#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation

    /// A reader of one request.
    ///
    /// Its parts arrive one after another, on one thread at a time.
    final class RequestReader {
        let target: String
        private var headers: HTTPHeaders?
        private var body = Data()
        /// The number of bytes of the body that have arrived.
        private var received = 0
        /// Whether the request is complete and the handler has been called.
        private(set) var isAnswered = false

        init(target: String) { self.target = target }

        /// Whether the headers have been read.
        var hasBegun: Bool { headers != nil }

        /// Whether the body is longer than its limit.
        private(set) var isTooLong = false

        /// The size of the request line and the headers in bytes, including libmicrohttpd's bookkeeping.
        private(set) var headSize = 0

        /// Reads the headers and checks them against the limits.
        ///
        /// - Returns: the response if the request is refused before its body is read; otherwise nil.
        func begin(_ connection: OpaquePointer, _ version: String, _ limits: HTTPLimits) -> HTTPResponse? {
            var found = HTTPHeaders()
            withUnsafeMutablePointer(to: &found) { found in
                _ = MHD_get_connection_values(
                    connection,
                    .HEADER_KIND,
                    { found, _, name, value in
                        if let name {
                            found?.assumingMemoryBound(to: HTTPHeaders.self).pointee
                                .add(String(cString: name), value.map { String(cString: $0) } ?? "")
                        }
                        return .YES
                    },
                    found
                )
            }
            headers = found
            headSize = found.size + target.utf8.count
            if target.utf8.count > limits.targetSize { return HTTPResponse(414) }
            if headSize > limits.headSize { return HTTPResponse(431) }
            guard found.areSound(in: version) else { return HTTPResponse(400) }
            guard let length = found.contentLength, length > limits.bodySize else { return nil }
            isTooLong = true
            // A client that sends `Expect` waits for a response before it sends the body.
            let isReadNevertheless = length <= limits.droppedSize && found.values["expect"] == nil
            return isReadNevertheless ? nil : Self.tooLong
        }

        static let tooLong = HTTPResponse(413)

        /// Appends a part of the body.
        ///
        /// - Returns: whether to read on. Some of a body that is too long is read and dropped, so the client receives
        ///   the response.
        func append(_ bytes: UnsafeRawBufferPointer, _ limits: HTTPLimits) -> Bool {
            received += bytes.count
            guard !isTooLong, received <= limits.bodySize else {
                isTooLong = true
                body = Data()
                return received <= limits.droppedSize
            }
            body.append(contentsOf: bytes)
            return true
        }

        /// Returns the complete request, which the caller passes to the handler.
        func finish(_ method: String) -> HTTPRequest {
            isAnswered = true
            defer { body = Data() }
            return HTTPRequest(method, target, headers: headers?.values ?? [:], body: body)
        }
    }
#endif
