/// A push connection for a receiver, built on a pull connection to the store.
///
/// When it is notified, it pulls updates and passes them to the receiver, one batch at a time. A receiver that
/// reconnects keeps its line, so that batches stay in order across connections.
final class ReceiverLine: NewsListener {
    let receiver: any StoreUpdateReceiver
    private let core: SandboxDriver.Link
    private let state = Locked(State())

    private struct State {
        /// The open connection; nil between two connections.
        var connection: StoreConnectionID?
        /// Whether a thread is passing batches on.
        var isBusy = false
        /// Whether the line was notified again meanwhile.
        var isRungAgain = false
    }

    init(_ receiver: any StoreUpdateReceiver, _ core: SandboxDriver.Link) {
        self.receiver = receiver
        self.core = core
    }

    /// Whether the line is no longer needed.
    var isIdle: Bool { state.withLock { $0.connection == nil && !$0.isBusy } }

    /// Switches to another connection, or to none; returns the previous one.
    func move(to connection: StoreConnectionID?) -> StoreConnectionID? {
        state.withLock { state in
            defer { state.connection = connection }
            return state.connection
        }
    }

    func newsArrived() {
        let isMine = state.withLock { state in
            state.isRungAgain = state.isBusy
            if state.isBusy || state.connection == nil { return false }
            state.isBusy = true
            return true
        }
        guard isMine else { return }
        repeat {
            handOn()
        } while state.withLock { state in
            state.isBusy = state.isRungAgain
            state.isRungAgain = false
            return state.isBusy
        }
        core.core?.forgetIfIdle(self)
    }

    /// Passes all pending updates to the receiver.
    private func handOn() {
        var exchange = Exchange()
        repeat {
            exchange.clear()
            // Once the store is released there are no updates.
            guard let connection = state.withLock({ $0.connection }), let core = core.core else { return }
            core.exchange([], from: 0, on: connection, into: &exchange)
            switch exchange.news {
            case .none: break
            case .batch: receiver.receive(exchange.batch)
            case .lost(let failure):
                state.withLock { if $0.connection == connection { $0.connection = nil } }
                receiver.connectionLost(failure)
            }
            exchange.afterwards?()
            exchange.questions?()
        } while exchange.hasMore
    }
}

// MARK: - The store's lines

extension SandboxDriverState {
    /// Connects a receiver, in place of its connection if it has one.
    ///
    /// - Returns: the receiver's line, to be notified, and a connection to release without the lock.
    mutating func connect(
        _ receiver: any StoreUpdateReceiver,
        _ device: DeviceID,
        after cursor: UpdateCursor?,
        _ makeLine: () -> ReceiverLine
    ) -> (ReceiverLine, closed: SandboxConnection?) {
        let line = lines[ObjectIdentifier(receiver)] ?? makeLine()
        lines[ObjectIdentifier(receiver)] = line
        let old = line.move(to: open(line, device, journal: receiver.journal, after: cursor))
        return (line, old.flatMap { close($0) })
    }

    /// Disconnects a receiver.
    ///
    /// - Returns: the objects to release without the lock.
    mutating func disconnect(_ receiver: any StoreUpdateReceiver) -> (SandboxConnection?, ReceiverLine?) {
        guard let line = lines[ObjectIdentifier(receiver)] else { return (nil, nil) }
        let closed = line.move(to: nil).flatMap { close($0) }
        return (closed, forgetIfIdle(line))
    }

    /// Removes a line without a connection, unless it is passing batches on: a receiver that reconnects then uses it again.
    mutating func forgetIfIdle(_ line: ReceiverLine) -> ReceiverLine? {
        let key = ObjectIdentifier(line.receiver)
        return line.isIdle && lines[key] === line ? lines.removeValue(forKey: key) : nil
    }
}

extension SandboxDriver {
    fileprivate func forgetIfIdle(_ line: ReceiverLine) {
        let forgotten = shell.withLock { $0.forgetIfIdle(line) }
        withExtendedLifetime(forgotten) {}
    }
}
