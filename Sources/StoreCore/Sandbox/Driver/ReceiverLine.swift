/// The connection of a receiver that is sent its updates, made of one that is asked for them.
///
/// It asks when it is rung, and hands on what it is given, one batch at a time. A receiver that connects anew keeps its line,
/// so that this holds from one connection to the next.
final class ReceiverLine: NewsListener {
    let receiver: any StoreUpdateReceiver
    private let core: SandboxDriver.Link
    private let state = Locked(State())

    private struct State {
        /// The connection that is open; nil between two of them.
        var connection: StoreConnectionID?
        /// Somebody is handing on.
        var isBusy = false
        /// It was rung meanwhile.
        var isRungAgain = false
    }

    init(_ receiver: any StoreUpdateReceiver, _ core: SandboxDriver.Link) {
        self.receiver = receiver
        self.core = core
    }

    /// Whether nobody needs the line any more.
    var isIdle: Bool { state.withLock { $0.connection == nil && !$0.isBusy } }

    /// Goes over to another connection, or to none; returns the one before.
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

    /// Hands on all that there is.
    private func handOn() {
        var exchange = Exchange()
        repeat {
            exchange.clear()
            // Where nobody owns the store any more there is nothing to tell.
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
    /// Connects a receiver, in the place of its connection if it has one.
    ///
    /// - Returns: the receiver's line, to be rung, and a connection that is to be let go of without the lock.
    mutating func connect(
        _ receiver: any StoreUpdateReceiver,
        _ device: Int,
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
    /// - Returns: what is to be let go of without the lock.
    mutating func disconnect(_ receiver: any StoreUpdateReceiver) -> (SandboxConnection?, ReceiverLine?) {
        guard let line = lines[ObjectIdentifier(receiver)] else { return (nil, nil) }
        let closed = line.move(to: nil).flatMap { close($0) }
        return (closed, forgetIfIdle(line))
    }

    /// Forgets a line that has no connection, unless it is handing on: if its receiver connects anew, it goes on.
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
