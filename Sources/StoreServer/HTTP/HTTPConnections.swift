#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation
    import StoreCore

    /// The open connections of a server.
    ///
    /// Each is stored with the date since which the server has waited for a request. libmicrohttpd closes only idle
    /// connections. This class also closes a connection whose client sends a byte now and then: after the time limit of
    /// a request, or sooner if there are too many connections. Any thread may call any method.
    final class HTTPConnections: Sendable {
        private struct Entry {
            let connection: HTTPConnection
            /// The number of connections that were accepted before this one.
            let number: Int
            /// The date since which the server has waited for a request, or for its remainder; nil during the response.
            var owesSince: Date?
        }

        private struct State {
            /// The open connections, except those that this class has closed.
            var entries: [ObjectIdentifier: Entry] = [:]
            var count = 0
            /// The date of the next check; nil if none is scheduled.
            var alarm: Date?
            var token: TimerToken?
            var hasEnded = false
        }

        private let limits: HTTPLimits
        private let clock: any StoreClock
        private let state = Locked(State())

        init(_ limits: HTTPLimits, _ clock: any StoreClock) { (self.limits, self.clock) = (limits, clock) }

        /// Adds a new connection, whose request is awaited, and closes others if there are too many.
        func insert(_ connection: HTTPConnection) {
            let now = clock.now
            state.withLock { state in
                let entry = Entry(connection: connection, number: state.count, owesSince: now)
                state.entries[ObjectIdentifier(connection)] = entry
                state.count += 1
            }
            look()
        }

        /// Removes a connection that is about to be closed.
        func remove(_ connection: HTTPConnection) {
            state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(connection)) }
        }

        /// Notes that the server waits for a connection's next request, or that the request is complete.
        func note(_ connection: HTTPConnection, owesRequest: Bool) {
            let now = owesRequest ? clock.now : nil
            let isWatched = state.withLock { state in
                state.entries[ObjectIdentifier(connection)]?.owesSince = now
                return state.alarm != nil && state.entries.count <= limits.connections
            }
            if owesRequest, !isWatched { look() }
        }

        /// Ends all checks; called when the server stops.
        func end() {
            let token = state.withLock { state in
                state.hasEnded = true
                return state.token.take()
            }
            token?.cancel()
        }

        /// Closes connections on which a request has been awaited for too long, and schedules the next check.
        private func look() {
            let now = clock.now
            let next = state.withLock { state -> Date? in
                if state.alarm.map({ $0 <= now }) ?? false { state.alarm = nil }
                let next = close(&state, at: now)
                guard let next, !state.hasEnded, state.alarm.map({ next < $0 }) ?? true else { return nil }
                state.alarm = next
                return next
            }
            guard let next else { return }
            let token = clock.schedule(at: next) { [weak self] in self?.look() }
            let outdated = state.withLock { state -> TimerToken? in
                // If two threads have scheduled a check, only the earlier one remains.
                if state.hasEnded || state.alarm.map({ $0 < next }) ?? false { return token }
                defer { state.token = token }
                return state.token
            }
            outdated?.cancel()
        }

        /// Closes connections on which a request has been awaited for too long; returns the date of the next check.
        private func close(_ state: inout State, at now: Date) -> Date? {
            var owing = state.entries.values.compactMap { entry in entry.owesSince.map { (since: $0, entry: entry) } }
            owing.sort { ($0.since, $0.entry.number) < ($1.since, $1.entry.number) }
            // A connection on which a response is in progress, such as a stream, is never closed, and does not count
            // against its peer.
            var peers = Dictionary(owing.map { ($0.entry.connection.peer, 1) }, uniquingKeysWith: +)
            var next: Date?
            for (since, entry) in owing {
                let isOverdue = now >= since.addingTimeInterval(limits.requestTime)
                let isOfTooMany = peers[entry.connection.peer, default: 0] > limits.connectionsPerPeer
                let isCrowded = state.entries.count > limits.connections
                let end = since.addingTimeInterval(isCrowded ? limits.patienceWithCrowds : limits.requestTime)
                if isOverdue || isOfTooMany || (isCrowded && now >= end) {
                    // After `shutdown`, libmicrohttpd reads the end of input and closes the connection. The lock
                    // ensures that the descriptor still belongs to this connection.
                    state.entries[ObjectIdentifier(entry.connection)] = nil
                    peers[entry.connection.peer, default: 0] -= 1
                    shutdown(entry.connection.socket, Int32(SHUT_RDWR))
                } else {
                    next = min(next ?? end, end)
                }
            }
            return next
        }
    }

    /// A client's connection, from its beginning to its end.
    ///
    /// The object retains the reader of the current request, because libmicrohttpd does not report the end of a request
    /// that it refuses itself. An example is a request with more headers than a connection's memory can hold.
    // unchecked: libmicrohttpd uses the reader on one thread at a time.
    final class HTTPConnection: @unchecked Sendable {
        /// The descriptor, which stays open while the connection is in ``HTTPConnections``.
        let socket: Int32
        /// The address of the client, without a port.
        let peer: Data
        var reader: RequestReader?

        init(_ connection: OpaquePointer) {
            socket = store_connection_socket(connection)
            peer = Self.peer(of: connection)
        }

        /// Returns the object stored for a connection; nil before libmicrohttpd has reported the connection.
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
                    // The first half identifies the network, and a client may use any address of its network.
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { Data($0.prefix(8)) }
                }
            default: return Data()
            }
        }
    }
#endif
