#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation

    /// A connection of a client, from its beginning to its end.
    ///
    /// It holds the reader of its present request: libmicrohttpd does not tell the end of one that it refused itself, as for
    /// more headers than a connection's memory takes.
    // unchecked: libmicrohttpd touches the reader on one thread at a time.
    final class HTTPConnection: @unchecked Sendable {
        /// The descriptor, which is open until the connection is no more among ``HTTPConnections``.
        let socket: Int32
        /// The address of the client, without a port.
        let peer: Data
        var reader: RequestReader?

        init(_ connection: OpaquePointer) {
            socket = store_connection_socket(connection)
            peer = Self.peer(of: connection)
        }

        /// Returns what was kept for a connection; nil before its beginning was told.
        static func of(_ connection: OpaquePointer) -> HTTPConnection? {
            store_connection_context(connection).map {
                Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue()
            }
        }

        private static func peer(of connection: OpaquePointer) -> Data {
            guard let address = store_connection_peer(connection) else { return Data() }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin_addr) { Data($0) }
                }
            case AF_INET6:
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    // One client has as many addresses as it likes in its network, which is the first half.
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { Data($0.prefix(8)) }
                }
            default: return Data()
            }
        }
    }
#endif
