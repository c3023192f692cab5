import Foundation
import StoreContract
import StoreCore
import StoreRemote

/// A stream of updates to a remote queue: a connection to the store that is read whenever the client can receive more.
///
/// For a slow client, no updates are queued: the store remembers a position, and creates the updates after it later.
final class DeviceStream: Sendable {
    private struct Notes {
        /// Whether the store may have changed; initially true, since earlier changes are unknown.
        var hasChanged = true
        var isBeatDue = false
    }

    /// The values that the client received last.
    private struct Told {
        var status: DeviceStatus?
        var receipts: AppReceiptReader?
    }

    private let subscription: DeviceStreams.Subscription
    private let connection: StoreConnectionID
    /// The injector's receiver of the store's updates, which passes them on to ``bell``.
    ///
    /// Nil until the request for updates has arrived, and once the store's connection is lost.
    private let relay = Locked<(any StoreUpdateReceiver)?>(nil)
    private let bell: Bell
    /// Locked only briefly, so a note to all streams never waits while a line is created.
    private let notes = Locked(Notes())
    /// Locked while a line is created.
    ///
    /// To create a line may take as long as the signer.
    private let told: Locked<Told>

    /// The listener of the connection to the store, which wakes the stream when there are updates, and receives them.
    private final class Bell: UpdateListener, StoreUpdateReceiver {
        private struct State {
            weak var stream: HTTPStream?
            var arrived = Deque<Arrival>()
        }

        let journal: JournalID
        private let state = Locked(State())

        init(_ journal: JournalID) { self.journal = journal }

        func wakes(_ stream: HTTPStream) { state.withLock { $0.stream = stream } }
        func updatesArrived() { state.withLock { $0.stream }?.ring() }
        func end() { state.withLock { $0.stream }?.finish() }

        func receive(_ batch: UpdateBatch) { arrive(.batch(batch)) }
        func connectionLost(_ failure: StoreFailure) { arrive(.loss(failure)) }

        private func arrive(_ arrival: Arrival) {
            state.withLock { $0.arrived.append(arrival) }
            updatesArrived()
        }

        /// Removes and returns the first arrival; nil if nothing has arrived.
        func next() -> Arrival? { state.withLock { $0.arrived.isEmpty ? nil : $0.arrived.removeFirst() } }
    }

    private enum Arrival {
        case batch(UpdateBatch)
        case loss(StoreFailure)
    }

    /// Opens a stream.
    ///
    /// The stream retains its connection to the store, which is closed when the stream ends or is released.
    static func begin(_ subscription: DeviceStreams.Subscription) -> (HTTPStream, DeviceStream) {
        let device = DeviceStream(subscription)
        let stream = HTTPStream { ConcealedErrors.logged(in: subscription.log) { device.next() } }
        device.bell.wakes(stream)
        subscription.injector.connect(device.bell, after: subscription.cursor) { [weak device] relay in
            device?.relay.withLock { $0 = relay }
            device?.bell.updatesArrived()
        }
        return (stream, device)
    }

    private init(_ subscription: DeviceStreams.Subscription) {
        self.subscription = subscription
        bell = Bell(subscription.journal)
        connection = subscription.device.openConnection(bell, journal: subscription.journal, after: subscription.cursor)
        told = Locked(Told(receipts: subscription.wantsReceipts ? AppReceiptReader(subscription.device) : nil))
    }

    deinit {
        subscription.injector.disconnect(bell)
        subscription.device.closeConnection(connection)
    }

    /// Notes that the store has changed; the next line then contains the changed values.
    func noteChange() { notes.withLock { $0.hasChanged = true } }

    /// Notes that a heartbeat is due; a line is then sent even without changes.
    func noteBeat() { notes.withLock { $0.isBeatDue = true } }

    /// Returns the next line to send; nil if there is nothing to send.
    private func next() -> Data? {
        let due = notes.withLock { notes in
            defer { notes = Notes(hasChanged: false) }
            return notes
        }
        // This look-up of the token also reads the records that other processes have appended.
        guard subscription.store.device(with: subscription.token) != nil else {
            return last(DeviceRefusal.unauthorized.failure)
        }
        var line = UpdateLine()
        switch arrival() {
        case .batch(let batch): line.batch = batch
        case .loss(let failure): return last(failure)
        case nil: break
        }
        if due.hasChanged { line.hasChanged = true }
        if due.hasChanged || line.batch != nil { told.withLock { describe(&line, &$0) } }
        return line.isEmpty && !due.isBeatDue ? nil : encoded(line)
    }

    /// Returns the next batch that has arrived; nil if there is none.
    ///
    /// Updates are read from the store once those before them have been sent, except for those that a fault delays.
    private func arrival() -> Arrival? {
        while true {
            if let arrival = bell.next() { return arrival }
            guard let relay = self.relay.withLock({ $0 }) else { return nil }
            var exchange = Exchange()
            subscription.device.exchange([], on: connection, into: &exchange)
            // These closures notify other connections and schedule the store's next event. They run even if this
            // connection is lost.
            exchange.afterwards?()
            exchange.questions?()
            switch exchange.updates {
            case .none: return nil
            case .batch: relay.receive(exchange.batch)
            case .lost(let failure):
                self.relay.withLock { $0 = nil }
                relay.connectionLost(failure)
            }
        }
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
            // Not expected, since values that came over a socket can be encoded. Ends the stream, and the client
            // connects again.
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
        let injector: FaultInjector
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

    /// Opens a stream; returns nil if the token has too many streams.
    ///
    /// If the token already has the maximum number of streams, the new stream replaces the oldest one of the same
    /// journal: its client has disappeared without closing it. Returns nil if the journal has no stream.
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

    /// Wakes all streams after a short delay, in which further changes of a busy store are gathered.
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

    /// Calls `note` for every stream, and wakes the streams.
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
