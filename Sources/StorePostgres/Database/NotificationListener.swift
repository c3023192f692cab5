#if canImport(CPostgres)
    import CPostgres
    import Dispatch
    import Foundation
    import StoreCore

    /// The connection on which the server notifies this process of other processes' records.
    ///
    /// Notifications are an optimization: regular polling makes up for lost ones.
    // unchecked: all state, and libpq's connection, is accessed under the lock.
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
        /// The channels to subscribe to when the current statement has ended.
        private var unheard: Set<Channel> = []
        /// The server's identifier of the connection on which this process writes; notifications from it are ignored.
        private var ownBackend: Int32?

        /// A connection, with the state of its current statement.
        private final class Session {
            let connection: OpaquePointer
            private let watch: SocketWatch
            /// The deadline for the reply to the current statement; nil if there is none.
            var deadline: Deadline?
            /// The channels to which the current statement subscribes.
            var beginning: Set<Channel> = []

            /// Takes ownership of a connection; `readable` is called whenever data has arrived on it.
            init(_ connection: OpaquePointer, readable: @escaping @Sendable () -> Void) {
                self.connection = connection
                let pointer = Pointer(value: connection)
                watch = SocketWatch(PQsocket(connection), readable: readable) { PQfinish(pointer.value) }
            }

            func end() { watch.end() }

            private struct Pointer: @unchecked Sendable {  // unchecked: used once, after the session's last use
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
        /// The recipient is notified once when its channel is subscribed, since earlier notifications may have been
        /// lost.
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

        /// Notifies the other recipients of a channel in this process.
        ///
        /// Other processes are notified by the server.
        func tell(_ announcement: Announcement, from sender: any Recipient) {
            let others = lock.withLock { () -> [any Recipient] in
                let known = recipients[announcement.channel] ?? []
                return known.count < 2 ? [] : known.compactMap(\.recipient).filter { $0 !== sender }
            }
            if others.isEmpty { return }
            queue.async { for recipient in others { recipient.notified(payload: announcement.payload) } }
        }

        /// Notifies every recipient, asynchronously on another thread, that it may have missed changes.
        func tellAllSoon() { queue.async { [weak self] in self?.tellAll() } }

        /// Ignores, from now on, the notifications that a connection of this process has sent.
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

    // The functions in this section are called under the lock, except `connect` and the handlers, which take it.
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

        /// Connects to the server, and subscribes to all channels.
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
            // Without this, libpq would print the server's notices to standard error.
            PQsetNoticeReceiver(new, { _, _ in }, nil)
            // Notifies recipients on the thread that waits for the server, since waking another thread would take
            // longer.
            let address = UInt(bitPattern: new)
            let session = Session(new) { [weak self, queue] in queue.sync { self?.readable(address) } }
            self.session = session
            unheard = Set(recipients.keys)
            sendNext()
            lock.unlock()
        }

        /// Subscribes to the pending channels, unless another statement is running.
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

    // MARK: - Receiving

    extension NotificationListener {
        /// Reads the data that has arrived on a connection.
        private func readable(_ address: UInt) {
            var news: [(recipients: [any Recipient], payload: String)] = []
            lock.withLock {
                // The watch of a dropped connection may still call.
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

        /// Reads the results of the current statement, and returns the channels to which it has subscribed.
        private func readResults(_ session: Session) -> Set<Channel> {
            _ = PQflush(session.connection)
            var begun: Set<Channel> = []
            while session === self.session, session.deadline != nil, PQisBusy(session.connection) == 0 {
                if let result = PQgetResult(session.connection) {
                    defer { PQclear(result) }
                    // The statement fails on a standby, which accepts connections but not `LISTEN`.
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

        /// Lets recipients look for records whose notifications were lost, and checks whether the server replies.
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

        /// Notifies every recipient that it may have missed changes.
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
    /// A recipient of a channel's notifications, which the listener does not retain.
    protocol Recipient: AnyObject, Sendable {
        func notified(payload: String)
    }
}

/// A notification to other processes about a change, sent on a channel.
///
/// The notification is sent in its own transaction after the commit, because commits with notifications wait for each
/// other. If the commit fails, the notification is sent all the same, and costs each recipient one read.
struct Announcement {
    let channel: Channel
    let payload: String

    /// Returns the statement that sends the notification if another process is listening.
    ///
    /// A notification costs the server a transaction number and a place in its queue, so none is sent without a
    /// listener. The statement does not wait for the disk, and only briefly for other senders, so it does not delay the
    /// connection's next statement. Polling makes up for a notification that is not sent.
    func request(in tables: Tables) -> Connection.Request {
        Connection.Request(Self.announcing, [.text(tables.schemaName), .text(channel.name), .text(payload)])
    }

    private static let announcing = """
        SELECT CASE WHEN pg_try_advisory_lock(presence) THEN pg_advisory_unlock(presence)::text ELSE concat(
            set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true),
            pg_notify($2::text, $3::text)
        ) END FROM (SELECT \(presence) AS presence) AS key
        """

    /// Returns the statement by which a connection marks its process as present.
    ///
    /// The statement takes a shared lock until the connection ends. A process that can take the lock exclusively is
    /// alone, and announces no records. Therefore records have to be read after this statement.
    static func presenceLock(in tables: Tables) -> Connection.Request {
        Connection.Request("SELECT pg_advisory_lock_shared(\(presence))", [.text(tables.schemaName)])
    }

    private static let presence = "hashtextextended('storecore_' || $1::text, 0)"
}
