#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation

    /// A request whose parts arrive one after the other, on one thread at a time.
    final class RequestReader {
        private let target: String
        private var headers: [String: String]?
        private var body = Data()
        /// The bytes of the body that were thrown away, since the limit was passed.
        private var surplus = 0
        /// Whether the handler has been called.
        private(set) var isAnswered = false

        init(target: String) { self.target = target }

        /// Whether the headers have been read.
        var hasBegun: Bool { headers != nil }

        /// Whether the body is longer than its limit.
        private(set) var isTooLong = false

        /// Takes the headers, and judges the length that they announce.
        func begin(_ connection: OpaquePointer, limit: Int) {
            var found: [String: String] = [:]
            withUnsafeMutablePointer(to: &found) { found in
                _ = MHD_get_connection_values(
                    connection,
                    .HEADER_KIND,
                    { found, _, name, value in
                        if let name {
                            let headers = found?.assumingMemoryBound(to: [String: String].self)
                            headers?.pointee[String(cString: name).lowercased()] =
                                value.map { String(cString: $0) } ?? ""
                        }
                        return .YES
                    },
                    found
                )
            }
            headers = found
            if let length = found["content-length"].flatMap({ UInt64($0) }), length > limit { isTooLong = true }
        }

        /// Takes a part of the body.
        ///
        /// - Returns: whether to read on. Somewhat more than the limit is read and thrown away, so that the client gets to
        ///   read why.
        func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
            guard !isTooLong, body.count + bytes.count <= limit else {
                isTooLong = true
                body = Data()
                surplus += bytes.count
                return surplus <= 4 * limit
            }
            body.append(contentsOf: bytes)
            return true
        }

        /// Returns the request, which is answered now.
        func finish(_ method: String) -> HTTPRequest {
            isAnswered = true
            defer { body = Data() }
            return HTTPRequest(method, target, headers: headers ?? [:], body: body)
        }
    }
#endif
