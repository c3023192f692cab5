#if canImport(CPostgres)
    import CPostgres
    import Dispatch
    import Foundation
    import StoreCore

    /// The connection that receives notifications of other processes' records.
    ///
    /// Notifications are an optimization: a poll compensates for lost ones.
    // unchecked: all state is accessed under the lock, as is libpq.
    final class NotificationListener: @unchecked Sendable {
        private struct WeakRecipient {
            weak var recipient: (any Recipient)?
        }

        private let lock = NSLock()
        private let queue = DispatchQueue(label: "StorePostgres.NotificationListener")
        private let settings: ConnectionSettings
        private let options: PostgresDatabase.Options
        private let statistics: Locked<PostgresDatabase.Statistics>

        private var recipients: [Channel: [WeakRecipient]] = [:]
        private var session: Session?
        private var isConnecting = false
        private var isClosed = false
        private var policy = ReconnectPolicy()
        private var poll: (any DispatchSourceTimer)?
        /// The channels to listen to after the statement under way.
        private var unheard: Set<Channel> = []
        /// The connection on which this process writes, whose own notifications are ignored.
        private var ownBackend: Int32?

        /// A connection, with the state of its current statement.
        private final class Session {
            let connection: OpaquePointer
            private let watch: SocketWatch
            /// The deadline for the reply to the statement under way; nil for none.
            var deadline: Deadline?
            /// The channels to which the statement under way subscribes.
            var beginning: Set<Channel> = []

            /// Takes ownership of a connection; `readable` is called whenever data has arrived.
            init(_ connection: OpaquePointer, readable: @escaping @Sendable () -> Void) {
                self.connection = connection
                let pointer = Pointer(value: connection)
                watch = SocketWatch(PQsocket(connection), readable: readable) { PQfinish(pointer.value) }
            }

            func end() { watch.end() }

            private struct Pointer: @unchecked Sendable {  // unchecked: used once, when nobody else does any more
                let value: OpaquePointer
            }
        }

        init(
            _ settings: ConnectionSettings,
            _ options: PostgresDatabase.Options,
            _ statistics: Locked<PostgresDatabase.Statistics>
        ) {
            self.settings = settings
            self.options = options
            self.statistics = statistics
        }

        deinit { close() }

        /// Adds a recipient of a channel's notifications.
        ///
        /// It is notified once as soon as it is subscribed, since earlier notifications may have been missed.
        func add(_ recipient: any Recipient, to channel: Channel) {
            lock.withLock {
                recipients[channel, default: []].removeAll { $0.recipient == nil || $0.recipient === recipient }
                recipients[channel, default: []].append(WeakRecipient(recipient: recipient))
                if isClosed { return }
                unheard.insert(channel)
                startPolling()
                if session == nil { connectSoon(after: 0) } else { sendNext() }
            }
        }

        /// Notifies the other recipients in this process; other processes are notified by the server.
        func tell(_ announcement: Announcement, from sender: any Recipient) {
            let others = lock.withLock { () -> [any Recipient] in
                let known = recipients[announcement.channel] ?? []
                return known.count < 2 ? [] : known.compactMap(\.recipient).filter { $0 !== sender }
            }
            if others.isEmpty { return }
            queue.async { for recipient in others { recipient.notified(payload: announcement.payload) } }
        }

        /// Asynchronously notifies every recipient that it may have missed something.
        func tellAllSoon() { queue.async { [weak self] in self?.tellAll() } }

        /// Ignores further notifications from a connection of this process.
        func ignore(_ backend: Int32) { lock.withLock { ownBackend = backend } }

        func close() {
            lock.withLock {
                isClosed = true
                poll?.cancel()
                poll = nil
                if let session { drop(session) }
            }
        }
    }

    // MARK: - The connection

    // All functions of this section, except `connect` and the handlers, are called under the lock.
    extension NotificationListener {
        private func startPolling() {
            guard poll == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let interval = max(0.01, Deadline.bounded(options.pollInterval))
            timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(10))
            timer.setEventHandler { [weak self] in self?.look() }
            timer.activate()
            poll = timer
        }

        private func connectSoon(after pause: TimeInterval) {
            guard !isConnecting, !isClosed else { return }
            isConnecting = true
            queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect() }
        }

        /// Connects, and subscribes to all channels.
        private func connect() {
            let new = settings.connect(timeout: options.responseTime)
            let isConnected = new.map { PQstatus($0) == CONNECTION_OK } ?? false
            lock.lock()
            isConnecting = false
            guard let new, isConnected, !isClosed else {
                if let new { PQfinish(new) }
                let pause = policy.pauseAfterFailure()
                connectSoon(after: pause)
                return lock.unlock()
            }
            PQsetnonblocking(new, 1)
            // Nothing is printed to standard error.
            PQsetNoticeReceiver(new, { _, _ in }, nil)
            // Recipients are notified on the thread that waits for the server: another one would have to be woken first.
            let address = UInt(bitPattern: new)
            let session = Session(new) { [weak self, queue] in queue.sync { self?.readable(address) } }
            self.session = session
            unheard = Set(recipients.keys)
            sendNext()
            lock.unlock()
        }

        /// Subscribes to the pending channels, unless a statement is under way.
        private func sendNext() {
            guard let session, session.deadline == nil else { return }
            if unheard.isEmpty { return }
            session.beginning = unheard
            unheard = []
            send(session.beginning.map { "LISTEN \(Tables.quoted($0.name))" }, on: session)
        }

        private func send(_ script: [String], on session: Session) {
            guard PQsendQuery(session.connection, script.joined(separator: ";")) == 1 else { return lose(session) }
            session.deadline = Deadline(after: options.responseTime)
            if PQflush(session.connection) < 0 { lose(session) }
        }

        private func lose(_ session: Session) {
            drop(session)
            connectSoon(after: policy.pauseAfterFailure())
        }

        private func drop(_ session: Session) {
            guard session === self.session else { return }
            self.session = nil
            session.end()
            statistics.withLock { $0.isListening = false }
        }
    }

    // MARK: - Hearing

    extension NotificationListener {
        /// Reads the data that has arrived on a connection.
        private func readable(_ address: UInt) {
            var news: [(recipients: [any Recipient], payload: String)] = []
            lock.withLock {
                // The watch of a dropped connection may call late.
                guard let session, UInt(bitPattern: session.connection) == address else { return }
                guard PQconsumeInput(session.connection) == 1 else { return lose(session) }
                for channel in readResults(session) { news.append((alive(channel), "")) }
                while let notification = PQnotifies(session.connection) {
                    defer { PQfreemem(notification) }
                    guard notification.pointee.be_pid != ownBackend, let name = notification.pointee.relname
                    else { continue }
                    statistics.withLock { $0.notifications += 1 }
                    let payload = notification.pointee.extra.map { String(cString: $0) } ?? ""
                    news.append((alive(Channel(name: String(cString: name))), payload))
                }
            }
            for (recipients, payload) in news { for recipient in recipients { recipient.notified(payload: payload) } }
        }

        private func alive(_ channel: Channel) -> [any Recipient] {
            (recipients[channel] ?? []).compactMap(\.recipient)
        }

        /// Reads the results of the statement under way, and returns the channels that are now subscribed.
        private func readResults(_ session: Session) -> Set<Channel> {
            _ = PQflush(session.connection)
            var begun: Set<Channel> = []
            while session === self.session, session.deadline != nil, PQisBusy(session.connection) == 0 {
                if let result = PQgetResult(session.connection) {
                    defer { PQclear(result) }
                    // A standby accepts connections, but does not support `LISTEN`.
                    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                        lose(session)
                        return []
                    }
                    continue
                }
                policy.succeeded()
                begun.formUnion(session.beginning)
                session.beginning = []
                session.deadline = nil
                statistics.withLock { $0.isListening = true }
                sendNext()
            }
            return begun
        }

        /// Compensates for lost notifications, and checks whether the server is still reachable.
        private func look() {
            lock.withLock {
                for channel in recipients.keys { recipients[channel]?.removeAll { $0.recipient == nil } }
                guard let session else { return connectSoon(after: 0) }
                if let deadline = session.deadline {
                    if deadline.seconds == 0 { lose(session) }
                } else {
                    send(["SELECT"], on: session)
                }
            }
            tellAll()
        }

        /// Notifies every recipient that it may have missed something.
        private func tellAll() {
            let all = lock.withLock { recipients.keys.flatMap(alive(_:)) }
            for recipient in all { recipient.notified(payload: "") }
        }
    }
#else
    import StoreCore

    /// The placeholder for a listener without libpq, whose connection settings are never created.
    final class NotificationListener: Sendable {
        init(
            _ settings: ConnectionSettings,
            _ options: PostgresDatabase.Options,
            _ statistics: Locked<PostgresDatabase.Statistics>
        ) {}

        func add(_ recipient: any Recipient, to channel: Channel) {}
        func tell(_ announcement: Announcement, from sender: any Recipient) {}
        func tellAllSoon() {}
        func ignore(_ backend: Int32) {}
        func close() {}
    }
#endif

extension NotificationListener {
    /// The recipient of a channel's notifications; retained by its owner.
    protocol Recipient: AnyObject, Sendable {
        func notified(payload: String)
    }
}

/// A notification to other processes on a channel.
///
/// It is sent in its own transaction after a commit: a commit that notifies would wait for all others that do. After a
/// failed commit it announces no change, and costs its recipients one read.
struct Announcement {
    let channel: Channel
    let payload: String

    /// Returns the statement that sends it if another process is listening.
    ///
    /// A notification costs the server a transaction with a number, and a place in a queue. It waits neither for the
    /// disk nor long for other senders, which would delay the connection's next statement: a poll compensates for what
    /// is not sent.
    func request(in tables: Tables) -> Connection.Request {
        Connection.Request(Self.announcing, [.text(tables.schemaName), .text(channel.name), .text(payload)])
    }

    private static let announcing = """
        SELECT CASE WHEN pg_try_advisory_lock(presence) THEN pg_advisory_unlock(presence)::text ELSE concat(
            set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true),
            pg_notify($2::text, $3::text)
        ) END FROM (SELECT \(presence) AS presence) AS key
        """

    /// Returns the statement with which a connection, and so its process, shows its presence.
    ///
    /// It takes a lock for the life of the connection, which it shares with all others: a process that can take the
    /// lock exclusively is alone. Records that were appended before have to be read after this.
    static func presenceLock(in tables: Tables) -> Connection.Request {
        Connection.Request("SELECT pg_advisory_lock_shared(\(presence))", [.text(tables.schemaName)])
    }

    private static let presence = "hashtextextended('storecore_' || $1::text, 0)"
}
