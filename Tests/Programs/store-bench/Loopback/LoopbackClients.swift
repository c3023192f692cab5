#if canImport(CMicroHTTPD) && canImport(CLibcrypto)
    /// Clients of one server, a connection each, driven by one thread: all ask before the first answer is read.
    final class LoopbackClients {
        private let connections: [LoopbackConnection]
        private let requests: [[UInt8]]
        private let server: Any

        /// Connects as many clients as there are requests; each has its own, which it sends again and again.
        ///
        /// The server lives as long as they do.
        init(of server: Any, port: Int, requests: [[UInt8]]) throws {
            self.server = server
            connections = try requests.map { _ in try LoopbackConnection(port: port) }
            self.requests = requests
        }

        /// Returns the answers to one request of each.
        func answers() throws -> [[UInt8]] {
            for (connection, request) in zip(connections, requests) { try connection.send(request) }
            return try connections.map { Array(try $0.readAnswer()) }
        }

        /// Measures the nanoseconds that a request takes.
        ///
        /// Each client's answer has to have its length every time.
        func sample(rounds: Int) throws -> Sample {
            let lengths = try answers().map(\.count)
            return try .nanoseconds(each: rounds * connections.count, "requests had the right answer") {
                var done = 0
                for _ in 0..<rounds {
                    for (connection, request) in zip(connections, requests) { try connection.send(request) }
                    for (connection, length) in zip(connections, lengths)
                    where try connection.readAnswer().count == length { done += 1 }
                }
                return done
            }
        }
    }
#endif
