import Foundation
import StoreCore
import StoreRemote

/// A stream of updates to a remote queue: a connection to the store, read whenever the client can receive more.
///
/// For a slow client, the store remembers a position, from which it creates updates later; no updates are queued.
final class DeviceStream: Sendable {
    private struct Notes {
        /// Whether the store may have changed; true at first, since changes before the stream are unknown.
        var hasChanged = true
        var isBeatDue = false
    }

    /// The values that the client has received last.
    private struct Told {
        var status: DeviceStatus?
        var receipts: AppReceiptReader?
    }

    private let subscription: DeviceStreams.Subscription
    private let connection: StoreConnectionID
    private let bell: Bell
    /// Locked only briefly, so that noting something on all streams never waits while a line is created.
    private let notes = Locked(Notes())
    /// Locked while a line is created, which may take as long as the signer.
    private let told: Locked<Told>

    /// The listener of the connection to the store, which wakes the stream when there are updates.
    private final class Bell: UpdateListener {
        private struct Stream {
            weak var stream: HTTPStream?
        }

        private let stream = Locked(Stream())

        func wakes(_ stream: HTTPStream) { self.stream.withLock { $0.stream = stream } }
        func updatesArrived() { stream.withLock { $0.stream }?.ring() }
        func end() { stream.withLock { $0.stream }?.finish() }
    }

    /// Opens a stream, which retains its connection to the store, and closes it when the stream ends or is released.
    static func begin(_ subscription: DeviceStreams.Subscription) -> (HTTPStream, DeviceStream) {
        let device = DeviceStream(subscription)
        let stream = HTTPStream { ConcealedErrors.logged(in: subscription.log) { device.next() } }
        device.bell.wakes(stream)
        return (stream, device)
    }

    private init(_ subscription: DeviceStreams.Subscription) {
        self.subscription = subscription
        bell = Bell()
        connection = subscription.device.openConnection(bell, journal: subscription.journal, after: subscription.cursor)
        told = Locked(Told(receipts: subscription.wantsReceipts ? AppReceiptReader(subscription.device) : nil))
    }

    deinit { subscription.device.closeConnection(connection) }

    /// Notes that the store has changed, so that the next line contains changed values.
    func noteChange() { notes.withLock { $0.hasChanged = true } }

    /// Notes that a heartbeat is due, so that a line is sent even without changes.
    func noteBeat() { notes.withLock { $0.isBeatDue = true } }

    /// Returns the next line to send; nil if there is nothing to send.
    private func next() -> Data? {
        let due = notes.withLock { notes in
            defer { notes = Notes(hasChanged: false) }
            return notes
        }
        // Looking up the token also reads the records that other processes have appended.
        guard subscription.store.device(with: subscription.token) != nil else {
            return last(DeviceRefusal.unauthorized.failure)
        }
        var line = UpdateLine()
        var exchange = Exchange()
        subscription.device.exchange([], on: connection, into: &exchange)
        // These notify other connections and schedule the store's next event, even if this connection is lost.
        exchange.afterwards?()
        exchange.questions?()
        switch exchange.updates {
        case .none: break
        case .batch: line.batch = exchange.batch
        case .lost(let failure): return last(failure)
        }
        if due.hasChanged { line.hasChanged = true }
        if due.hasChanged || line.batch != nil { told.withLock { describe(&line, &$0) } }
        return line.isEmpty && !due.isBeatDue ? nil : encoded(line)
    }

    /// Adds the values that a device's services return synchronously, if they have changed.
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

    /// Returns the last line of the stream, which contains a failure.
    private func last(_ failure: StoreFailure) -> Data {
        var line = UpdateLine()
        line.failure = failure
        bell.end()
        return encoded(line)
    }

    private func encoded(_ line: UpdateLine) -> Data {
        guard let json = try? JSONEncoder().encode(line) else {
            // Not expected, since values that came over a socket can be encoded. The client then has to connect again.
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

    /// An open stream, which only its HTTP connection retains.
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

    /// Opens a stream; returns nil if the token has too many.
    ///
    /// If the token has its maximum number of streams, the new stream replaces the oldest of the same journal, whose
    /// client has disappeared without closing it. Returns nil if there is none.
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

    /// Wakes all streams after a short delay, which gathers the changes of a busy store.
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

    /// Notes something on every stream, and wakes it.
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
