import Foundation
import StoreCore
import StoreRemote

/// A stream of updates to a remote queue: a connection to the store, read whenever the client can take more.
///
/// Updates for a slow client wait in the store only, which stores a position and not the updates.
final class DeviceStream: Sendable {
    private struct Notes {
        /// Initially true: the client does not know what changed while it had no stream.
        var hasChanged = true
        var isBeatDue = false
    }

    /// The values that were last sent to the client.
    private struct Told {
        var status: DeviceStatus?
        var receipts: AppReceiptReader?
    }

    private let subscription: DeviceStreams.Subscription
    private let connection: StoreConnectionID
    private let bell: Bell
    /// Locked only briefly: setting a note on all streams never waits for a line to be created.
    private let notes = Locked(Notes())
    /// Locked while a line is created, which may have to wait for a signer.
    private let told: Locked<Told>

    /// The listener of the store's connection, which wakes the stream.
    private final class Bell: NewsListener {
        private struct Stream {
            weak var stream: HTTPStream?
        }

        private let stream = Locked(Stream())

        func wakes(_ stream: HTTPStream) { self.stream.withLock { $0.stream = stream } }
        func newsArrived() { stream.withLock { $0.stream }?.ring() }
        func end() { stream.withLock { $0.stream }?.finish() }
    }

    /// Opens a stream, which holds the connection and closes it when it ends or is released.
    static func begin(_ subscription: DeviceStreams.Subscription) -> (HTTPStream, DeviceStream) {
        let device = DeviceStream(subscription)
        let stream = HTTPStream { ConcealedErrors.logged(in: subscription.log) { device.next() } }
        device.bell.wakes(stream)
        return (stream, device)
    }

    private init(_ subscription: DeviceStreams.Subscription) {
        self.subscription = subscription
        bell = Bell()
        connection = subscription.device.openConnection(
            bell,
            journal: subscription.journal,
            after: subscription.cursor
        )
        told = Locked(Told(receipts: subscription.wantsReceipts ? AppReceiptReader(subscription.device) : nil))
    }

    deinit { subscription.device.closeConnection(connection) }

    /// Notes that something in the store has changed.
    func noteChange() { notes.withLock { $0.hasChanged = true } }

    /// Notes that a heartbeat is due.
    func noteBeat() { notes.withLock { $0.isBeatDue = true } }

    /// Returns the next line; nil if there is none.
    private func next() -> Data? {
        let due = notes.withLock { notes in
            defer { notes = Notes(hasChanged: false) }
            return notes
        }
        // Also reads what other processes have written to the ledger.
        guard subscription.store.device(with: subscription.token) != nil else {
            return last(DeviceRefusal.unauthorized.failure)
        }
        var line = UpdateLine()
        var exchange = Exchange()
        subscription.device.exchange([], on: connection, into: &exchange)
        // Notifies other connections and sets the store's alarm, even if this connection is lost.
        exchange.afterwards?()
        exchange.questions?()
        switch exchange.news {
        case .none: break
        case .batch: line.batch = exchange.batch
        case .lost(let failure): return last(failure)
        }
        if due.hasChanged { line.hasChanged = true }
        if due.hasChanged || line.batch != nil { told.withLock { describe(&line, &$0) } }
        return line.isEmpty && !due.isBeatDue ? nil : encoded(line)
    }

    /// Adds the values that services return synchronously, if they have changed.
    private func describe(_ line: inout UpdateLine, _ told: inout Told) {
        let status = DeviceStatus(of: subscription.device)
        if status != told.status { line.status = status }
        told.status = status
        guard let reading = told.receipts?.read() else { return }
        line.receipt = ReceiptUpdate(reading)
        var receipts: [String: Data] = [:]
        for case .transaction(let transaction) in line.batch?.updates ?? []
        where transaction.receipt == nil && (transaction.state == .purchased || transaction.state == .restored) {
            receipts[transaction.identifier] = subscription.device.receipt(forTransaction: transaction.identifier)
        }
        if !receipts.isEmpty { line.receipts = receipts }
    }

    /// Ends the stream with a failure.
    private func last(_ failure: StoreFailure) -> Data {
        var line = UpdateLine()
        line.failure = failure
        bell.end()
        return encoded(line)
    }

    private func encoded(_ line: UpdateLine) -> Data {
        guard let json = try? JSONEncoder().encode(line) else {
            // Whatever comes over the socket can be encoded. If it cannot, the client has to reconnect.
            bell.end()
            return Data()
        }
        return json + Data("\n".utf8)
    }
}

/// The update streams that devices have open, with one heartbeat timer for all.
final class DeviceStreams: HistoryListener {
    /// The parameters of a device's request for updates.
    struct Subscription {
        let store: SandboxStore
        let device: SandboxDevice
        let token: DeviceToken
        let journal: JournalID
        let cursor: UpdateCursor?
        let wantsReceipts: Bool
        let log: StoreLog
    }

    /// An open stream, which is retained by its connection only.
    private struct Entry {
        let token: DeviceToken
        let journal: JournalID
        weak var stream: HTTPStream?
        weak var device: DeviceStream?
    }

    private struct State {
        var entries: [Entry] = []
        var isGathering = false
        var beats: (any DispatchSourceTimer)?
    }

    let limits: DeviceService.Limits
    private let queue = DispatchQueue(label: "StoreServer.devices")
    private let state = Locked(State())

    init(_ limits: DeviceService.Limits) { self.limits = limits }

    deinit { state.withLock { $0.beats.take() }?.cancel() }

    /// Opens a stream.
    ///
    /// If the token has its maximum number of streams, the new one replaces the oldest of the same journal, whose client has
    /// disappeared without closing it. Returns nil if there is none.
    func begin(_ subscription: Subscription) -> HTTPStream? {
        let (token, journal) = (subscription.token, subscription.journal)
        let (stream, device) = DeviceStream.begin(subscription)
        let (replaced, isFull) = state.withLock { state -> (HTTPStream?, Bool) in
            state.entries.removeAll { $0.stream?.isFinished ?? true }
            var replaced: HTTPStream?
            if state.entries.count(where: { $0.token == token }) >= limits.streams {
                let oldest = state.entries.firstIndex { $0.token == token && $0.journal == journal }
                guard let oldest else { return (nil, true) }
                replaced = state.entries.remove(at: oldest).stream
            }
            state.entries.append(Entry(token: token, journal: journal, stream: stream, device: device))
            if state.beats == nil { state.beats = beats() }
            return (replaced, false)
        }
        replaced?.finish()
        return isFull ? nil : stream
    }

    /// Wakes every stream after a short delay, since a store may change often.
    func historyChanged() {
        let isFirst = state.withLock { state in
            defer { state.isGathering = !state.entries.isEmpty }
            return !state.isGathering && !state.entries.isEmpty
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + limits.calm) { [weak self] in
            self?.state.withLock { $0.isGathering = false }
            self?.ring { $0.noteChange() }
        }
    }

    private func beats() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + limits.heartbeat, repeating: limits.heartbeat)
        timer.setEventHandler { [weak self] in self?.ring { $0.noteBeat() } }
        timer.activate()
        return timer
    }

    /// Sets a note on every stream, and wakes it.
    private func ring(_ note: (DeviceStream) -> Void) {
        let entries = state.withLock { state in
            state.entries.removeAll { $0.stream?.isFinished ?? true }
            if state.entries.isEmpty { state.beats.take()?.cancel() }
            return state.entries
        }
        for entry in entries {
            guard let stream = entry.stream, let device = entry.device else { continue }
            note(device)
            stream.ring()
        }
    }
}
