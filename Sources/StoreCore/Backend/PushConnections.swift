/// An adapter that passes the updates of an ``ImmediateStore`` to the receivers that ``StoreBackend`` connects.
///
/// Each receiver has a `Line`, on which one thread at a time pulls updates from the store and passes them to the
/// receiver, until there are no more. A receiver that reconnects keeps its line, so that its calls stay in order across
/// connections.
package final class PushConnections: Sendable {
    /// Returns the store that a connection pulls from; nil once it is released.
    package typealias Source = @Sendable () -> (any ImmediateStore)?

    private struct Connection: Sendable {
        let id: StoreConnectionID
        let journal: JournalID
        let store: Source
    }

    private struct Line: Sendable {
        let receiver: any StoreUpdateReceiver
        /// The open connection; nil after a disconnection, until the thread that works for the receiver is done.
        var connection: Connection?
        /// Whether a thread works for the receiver.
        var isBusy = false
        /// Whether the connection may have updates.
        var isRung = false

        /// Records that there may be updates; returns the line if the calling thread has to work for it now.
        mutating func ring() -> Line? {
            isRung = true
            return isBusy ? nil : next()
        }

        /// Begins the next exchange and returns the line, or ends the thread's work if no exchange is due.
        mutating func next() -> Line? {
            isBusy = isRung && connection != nil
            isRung = false
            return isBusy ? self : nil
        }
    }

    private final class Listener: UpdateListener {
        private let connections: PushConnections
        private let receiver: ObjectIdentifier

        init(_ connections: PushConnections, _ receiver: any StoreUpdateReceiver) {
            self.connections = connections
            self.receiver = ObjectIdentifier(receiver)
        }

        func updatesArrived() { connections.pull(for: receiver) }
    }

    private let lines = Locked<[ObjectIdentifier: Line]>([:])

    package init() {}

    /// Connects a receiver, in place of its previous connection if there is one, and passes it the available updates.
    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?, to store: @escaping Source) {
        let journal = receiver.journal
        let listener = Listener(self, receiver)
        guard let id = store()?.openConnection(listener, journal: journal, after: cursor) else { return }
        move(receiver, to: Connection(id: id, journal: journal, store: store))
        listener.updatesArrived()
    }

    /// Disconnects a receiver.
    package func disconnect(_ receiver: any StoreUpdateReceiver) { move(receiver, to: nil) }

    /// Submits commands to a store, on a connection of their journal if one is idle.
    ///
    /// Replies before it returns. The updates that the commands cause are passed on after the reply, and the authorizer
    /// is called last.
    package func submit(
        _ commands: [StoreCommand],
        to store: any ImmediateStore,
        reply: @escaping @Sendable (SubmissionReply) -> Void
    ) {
        let journal = commands.first?.id.journal
        let work = store.clock.activity.begin()
        let line = lines.withLock { lines in
            lines.first { $1.connection?.journal == journal && !$1.isBusy }.flatMap { lines[$0.key]?.ring() }
        }
        exchange(commands, with: store, for: line, work, reply: reply)
    }

    private func pull(for receiver: ObjectIdentifier) {
        guard let store = lines.withLock({ $0[receiver]?.connection })?.store() else { return }
        // Begun before the line is busy: otherwise settling could miss updates that the line has not passed on yet.
        let work = store.clock.activity.begin()
        guard let line = lines.withLock({ $0[receiver]?.ring() }) else { return work.end() }
        exchange([], with: store, for: line, work, reply: nil)
    }

    /// Replaces a receiver's connection, and closes the previous one.
    private func move(_ receiver: any StoreUpdateReceiver, to connection: Connection?) {
        let key = ObjectIdentifier(receiver)
        let previous = lines.withLock { lines in
            let line = lines[key]
            if line?.isBusy == true || connection != nil {
                lines[key, default: Line(receiver: receiver)].connection = connection
            } else {
                lines[key] = nil
            }
            return line?.connection
        }
        if let previous { previous.store()?.closeConnection(previous.id) }
    }

    /// Passes commands to a store, then passes updates to the receiver of the line that the calling thread has begun.
    ///
    /// Ends `work` once the updates have been passed on. `reply` is nil in a call for updates alone.
    private func exchange(
        _ commands: [StoreCommand],
        with store: any ImmediateStore,
        for line: Line?,
        _ work: Activity.Work,
        reply: ((SubmissionReply) -> Void)?
    ) {
        CallScope.outermost {
            var (commands, line, reply) = (commands, line, reply)
            var exchange = Exchange()
            var questions: [@Sendable () -> Void] = []
            repeat {
                exchange.clear()
                store.exchange(commands, on: line?.connection?.id, into: &exchange)
                reply?(exchange.answer)
                (commands, reply) = ([], nil)
                if let line { pass(exchange, to: line) }
                exchange.afterwards?()
                if let question = exchange.questions { questions.append(question) }
                line = line.flatMap { next(after: $0, hasMore: exchange.hasMore) }
            } while line != nil
            work.end()
            // Called when the line is free, since an authorizer may wait for the receiver's updates.
            for question in questions { question() }
        }
    }

    /// Passes updates to a receiver, unless its connection has been closed or replaced in the meantime.
    private func pass(_ exchange: Exchange, to line: Line) {
        let key = ObjectIdentifier(line.receiver)
        let isCurrent = lines.withLock { lines in
            guard lines[key]?.connection?.id == line.connection?.id else { return false }
            if case .lost = exchange.updates { lines[key]?.connection = nil }
            return true
        }
        switch exchange.updates {
        case .batch where isCurrent: line.receiver.receive(exchange.batch)
        case .lost(let failure) where isCurrent: line.receiver.connectionLost(failure)
        default: break
        }
    }

    /// Begins the next exchange of a line; returns nil, with the thread's work ended, if none is due.
    private func next(after line: Line, hasMore: Bool) -> Line? {
        let key = ObjectIdentifier(line.receiver)
        // The receiver is released without the lock.
        return withExtendedLifetime(line) {
            lines.withLock { lines in
                if hasMore { lines[key]?.isRung = true }
                let next = lines[key]?.next()
                if lines[key]?.connection == nil { lines[key] = nil }
                return next
            }
        }
    }
}
