#if canImport(CMicroHTTPD)
    import CMicroHTTPD
    import Foundation
    import StoreCore

    /// The open connections of a server, and since when each owes it a request.
    ///
    /// libmicrohttpd closes a connection on which nothing moves. Whoever sends a byte now and then is closed here: after the time
    /// that a request may take, and sooner where others wait. Any thread may call.
    final class HTTPConnections: Sendable {
        private struct Entry {
            let connection: HTTPConnection
            /// The number of connections before it.
            let number: Int
            /// The date since which a request is owed, its rest or all of it; nil while one is being answered.
            var owesSince: Date?
        }

        private struct State {
            /// The connections that were not closed here.
            var entries: [ObjectIdentifier: Entry] = [:]
            var count = 0
            /// The date of the next look at them, nil for none.
            var alarm: Date?
            var token: TimerToken?
            var hasEnded = false
        }

        private let limits: HTTPLimits
        private let clock: any StoreClock
        private let state = Locked(State())

        init(_ limits: HTTPLimits, _ clock: any StoreClock) { (self.limits, self.clock) = (limits, clock) }

        /// Takes in a connection, which owes a request, and closes others if there are too many.
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

        /// Notes that a connection owes a request from now on, or that its request is complete.
        func note(_ connection: HTTPConnection, owesRequest: Bool) {
            let now = owesRequest ? clock.now : nil
            let isWatched = state.withLock { state in
                state.entries[ObjectIdentifier(connection)]?.owesSince = now
                return state.alarm != nil && state.entries.count <= limits.connections
            }
            if owesRequest, !isWatched { look() }
        }

        /// Looks at no connection any more.
        func end() {
            let token = state.withLock { state in
                state.hasEnded = true
                return state.token.take()
            }
            token?.cancel()
        }

        /// Closes those that have owed a request for too long, and sets the date of the next look.
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
                // Of two that were set at once the sooner stays.
                if state.hasEnded || state.alarm.map({ $0 < next }) ?? false { return token }
                defer { state.token = token }
                return state.token
            }
            outdated?.cancel()
        }

        /// Closes those that have owed a request for too long, and returns the date at which more may have.
        private func close(_ state: inout State, at now: Date) -> Date? {
            var owing = state.entries.values.compactMap { entry in entry.owesSince.map { (since: $0, entry: entry) } }
            owing.sort { ($0.since, $0.entry.number) < ($1.since, $1.entry.number) }
            // Streams and requests under way, which are not closed, keep nobody out.
            var peers = Dictionary(owing.map { ($0.entry.connection.peer, 1) }, uniquingKeysWith: +)
            var next: Date?
            for (since, entry) in owing {
                let isOverdue = now >= since.addingTimeInterval(limits.requestTime)
                let isOfTooMany = peers[entry.connection.peer, default: 0] > limits.connectionsPerPeer
                let isCrowded = state.entries.count > limits.connections
                let end = since.addingTimeInterval(isCrowded ? limits.patienceWithCrowds : limits.requestTime)
                if isOverdue || isOfTooMany || (isCrowded && now >= end) {
                    // It is closed by libmicrohttpd, which then finds that there is no more to read. With the lock held, so that
                    // the descriptor is still this connection's.
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
