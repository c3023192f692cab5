import Foundation
import StoreCore
import StoreCrypto

#if canImport(CMicroHTTPD)
    import CMicroHTTPD

    /// An HTTP server that uses libmicrohttpd and has its own threads.
    ///
    /// The server stops when it is released. It must not be released by its handler, since stopping waits for the
    /// handler.
    package final class HTTPServer: Sendable {
        /// The port on which the server listens.
        package let port: UInt16
        private let gate: HTTPGate
        private let daemon: Locked<Daemon?>

        private struct Daemon: @unchecked Sendable {  // unchecked: libmicrohttpd locks it, and it is stopped once
            let pointer: OpaquePointer
            /// The texts of the server's identity, which the daemon points to.
            let identity: IdentityTexts?
        }

        /// Opens a server that listens on an address.
        ///
        /// - Parameters:
        ///   - host: the address; by default `127.0.0.1`.
        ///   - port: the port; 0 for any free port.
        ///   - identity: the server's identity over TLS; nil for plain HTTP.
        ///   - limits: the limits for clients.
        ///   - clock: the clock for the time limits of requests.
        ///   - handler: returns the response to a request. It is called on the server's threads, several calls at a
        ///     time.
        /// - Throws: ``StoreServerError`` if the server cannot listen on the address.
        package init(
            host: String = "127.0.0.1",
            port: UInt16 = 0,
            identity: ServerIdentity? = nil,
            limits: HTTPLimits = HTTPLimits(),
            clock: any StoreClock = SystemClock.shared,
            handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
        ) throws(StoreServerError) {
            let address = try SocketAddress(host: host, port: port)
            if identity != nil, store_has_tls() == 0 {
                throw StoreServerError("this libmicrohttpd was built without TLS: serve behind a proxy that has it")
            }
            let gate = HTTPGate(limits, clock, isSecure: identity != nil, handler)
            let texts = identity.map(IdentityTexts.init)
            guard let pointer = Self.start(address, texts, limits, gate) else {
                throw StoreServerError("the server cannot listen on \(host), port \(port): \(Self.reason)")
            }
            self.gate = gate
            self.port = store_bound_port(pointer)
            daemon = Locked(Daemon(pointer: pointer, identity: texts))
        }

        deinit { stop() }

        /// Stops listening, waits for the requests in progress, and closes all connections.
        ///
        /// Returns when the server's threads have ended. Does nothing if the server was stopped before.
        package func stop() {
            guard let daemon = daemon.withLock({ $0.take() }) else { return }
            let socket = MHD_quiesce_daemon(daemon.pointer)
            gate.endStreams()
            gate.waitForAnswers()
            MHD_stop_daemon(daemon.pointer)
            gate.connections.end()
            // `MHD_quiesce_daemon` leaves the closing of the socket to its caller.
            if socket >= 0 { close(socket) }
        }

        private static var reason: String { String(cString: strerror(errno)) }

        private static func start(
            _ address: SocketAddress,
            _ identity: IdentityTexts?,
            _ limits: HTTPLimits,
            _ gate: HTTPGate
        ) -> OpaquePointer? {
            let flags =
                MHD_USE_POLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
                | (address.isIPv6 ? MHD_USE_IPv6.rawValue : 0) | (identity == nil ? 0 : MHD_USE_TLS.rawValue)
            // Returns an option's number in the type that C expects of a variadic argument; the option's values follow
            // it.
            func number(_ option: MHD_OPTION) -> any CVarArg { UInt32(option.rawValue) }
            let context = Unmanaged.passUnretained(gate).toOpaque()
            let closure = Int(bitPattern: context)
            // Called twice: when a connection begins, with no object at `place`, and when it ends, with the object.
            let connected: ConnectionCallback = { gate, connection, place, _ in
                guard let gate, let connection, let place else { return }
                let connections = HTTPGate.at(gate).connections
                if let kept = place.pointee {
                    place.pointee = nil
                    connections.remove(Unmanaged<HTTPConnection>.fromOpaque(kept).takeRetainedValue())
                } else {
                    let new = HTTPConnection(connection)
                    place.pointee = Unmanaged.passRetained(new).toOpaque()
                    connections.insert(new)
                }
            }
            let begun: BeginCallback = { gate, target, connection in
                guard let gate, let connection = connection.flatMap(HTTPConnection.of) else { return nil }
                let reader = RequestReader(target: target.map { String(cString: $0) } ?? "/")
                // The zero hides the query from libmicrohttpd. It would parse the query into the connection's memory,
                // where a short parameter takes many times its length.
                if let query = target.flatMap({ strchr($0, Int32(UInt8(ascii: "?"))) }) { query[1] = 0 }
                HTTPGate.at(gate).begun(reader, on: connection)
                return Unmanaged.passUnretained(reader).toOpaque()
            }
            let completed: CompletionCallback = { gate, connection, _, _ in
                guard let gate, let connection = connection.flatMap(HTTPConnection.of) else { return }
                HTTPGate.at(gate).completed(on: connection)
            }
            return address.withPointer { socketAddress in
                let security: [any CVarArg] =
                    identity.map {
                        [
                            number(.HTTPS_MEM_KEY), Int(bitPattern: $0.key),
                            number(.HTTPS_MEM_CERT), Int(bitPattern: $0.certificates),
                        ]
                    } ?? []
                let options: [any CVarArg] =
                    security + [
                        number(.SOCK_ADDR), Int(bitPattern: socketAddress),
                        number(.CONNECTION_MEMORY_LIMIT), limits.memory,
                        number(.CONNECTION_LIMIT), limits.takenConnections,
                        number(.CONNECTION_TIMEOUT), limits.timeout,
                        number(.THREAD_POOL_SIZE), max(1, min(limits.threads, limits.connections)),
                        number(.URI_LOG_CALLBACK), unsafeBitCast(begun, to: Int.self), closure,
                        number(.NOTIFY_COMPLETED), unsafeBitCast(completed, to: Int.self), closure,
                        number(.NOTIFY_CONNECTION), unsafeBitCast(connected, to: Int.self), closure,
                        number(.END),
                    ]
                return withVaList(options) { options in
                    MHD_start_daemon_va(
                        flags,
                        0,
                        nil,
                        nil,
                        { gate, connection, _, method, version, bytes, count, place in
                            guard let gate, let connection, let method, let version, let count,
                                let reader = place?.pointee
                            else { return .NO }
                            let part = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
                            count.pointee = 0
                            return HTTPGate.at(gate).take(
                                Unmanaged<RequestReader>.fromOpaque(reader).takeUnretainedValue(),
                                part,
                                String(cString: method),
                                String(cString: version),
                                connection
                            )
                        },
                        context,
                        options
                    )
                }
            }
        }

        /// The texts of an identity, which exist while the daemon points to them.
        private final class IdentityTexts: @unchecked Sendable {  // unchecked: they are never changed
            let key: UnsafeMutablePointer<CChar>?
            let certificates: UnsafeMutablePointer<CChar>?

            init(_ identity: ServerIdentity) {
                (key, certificates) = (strdup(identity.privateKeyPEM), strdup(identity.certificateChainPEM))
            }

            deinit {
                free(key)
                free(certificates)
            }
        }

        private typealias ConnectionCallback =
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_ConnectionNotificationCode
            ) -> Void
        private typealias BeginCallback =
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
        private typealias CompletionCallback =
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
                MHD_RequestTerminationCode
            ) -> Void
    }
#endif

#if !canImport(CMicroHTTPD)

    // The placeholder for a server without libmicrohttpd: never created, as its property of type Never ensures.
    package struct HTTPServer: Sendable {
        private let never: Never

        package init(
            host: String = "127.0.0.1",
            port: UInt16 = 0,
            identity: ServerIdentity? = nil,
            limits: HTTPLimits = HTTPLimits(),
            clock: any StoreClock = SystemClock.shared,
            handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
        ) throws(StoreServerError) { throw .unavailable }

        package var port: UInt16 { switch never {} }
        package func stop() { switch never {} }
    }
#endif

/// The availability of libmicrohttpd in this module.
public enum MicroHTTPD {
    /// Whether libmicrohttpd's header was available when this module was built.
    ///
    /// Without it, a ``StoreServer`` throws ``StoreServerError/unavailable``. ``ServerNotifications`` needs no library.
    public static var isAvailable: Bool {
        #if canImport(CMicroHTTPD)
            true
        #else
            false
        #endif
    }

    /// One line of advice for a build in which ``isAvailable`` is false.
    package static let advice =
        "libmicrohttpd's header is missing: run `apt install libmicrohttpd-dev` and build again from scratch"
}

/// An address and a port to listen on.
struct SocketAddress {
    private(set) var storage = sockaddr_storage()
    let isIPv6: Bool

    /// Creates an address from a text: an IPv4 or IPv6 address, or `localhost`.
    init(host: String, port: UInt16) throws(StoreServerError) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &four) == 1 {
            isIPv6 = false
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = four
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            isIPv6 = true
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = six
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            throw StoreServerError("\"\(host)\" is no address to listen on, as 127.0.0.1 or ::1 is one")
        }
    }

    /// Calls a closure with a pointer to the address.
    func withPointer<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafeBytes(of: storage) { body($0.baseAddress!) }
    }
}

/// An error in opening a server.
///
/// The error contains no key and no secret.
public struct StoreServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that describes the error.
    ///
    /// The wording is not stable.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The error in a build without libmicrohttpd; its description says what to install.
    public static let unavailable = StoreServerError(MicroHTTPD.advice)
}
