import Foundation
import StoreCore
import StoreScenario

/// The live timeline, as server-sent events for a limited number of clients.
///
/// - `hello`: the first event of a stream.
/// - `line`: a line of the timeline, with its position as the event's identifier.
/// - `gap`: some lines are omitted at this place.
/// - `changed`: the lines of a change are complete.
/// - `trouble`: the ledger cannot be read.
/// - `beat`: a heartbeat, by which a client notices the loss of its connection.
///
/// A client that reconnects sends the identifier of its last line, and receives the lines that follow.
final class ControlEvents: HistoryListener {
    /// The identifier of this launch of the server, by which a client notices a restart.
    private let instance = UUID().uuidString
    private let chronicle: StoreChronicle
    private let view: ServerView
    private let maximumListeners: Int
    private let heartbeat: TimeInterval
    /// The serial queue of all events, which every client receives in the same order.
    private let queue = DispatchQueue(label: "StoreServer.events")
    private let isAwake = Locked(false)
    private let state = Locked(State())

    private struct State {
        var listeners: [HTTPStream] = []
        /// The position of the last line that was sent to all listeners.
        var position = 0
        var beats: (any DispatchSourceTimer)?
    }

    /// The maximum number of earlier lines that a new client receives.
    private static let recentLines = 200

    init(_ chronicle: StoreChronicle, _ view: ServerView, maximumListeners: Int, heartbeat: TimeInterval) {
        (self.chronicle, self.view) = (chronicle, view)
        (self.maximumListeners, self.heartbeat) = (maximumListeners, heartbeat)
    }

    deinit { state.withLock { $0.beats.take() }?.cancel() }

    /// Opens a stream of events for a client.
    ///
    /// - Parameter last: the identifier of the last `line` event that the client has received; any other text is treated
    ///   as nil.
    /// - Returns: the stream; nil if there are too many listeners.
    /// - Throws: the error that prevents reading the ledger.
    func listen(after last: String?) throws -> HTTPStream? {
        try queue.sync {
            guard makeRoom() else { return nil }
            send(try news())
            let (lines, head, areSomeMissing) = try chronicle.lines(after: place(in: last), limit: Self.recentLines)
            let stream = HTTPStream()
            let hello: JSONValue = [
                "instance": .string(instance), "areSomeMissing": .bool(areSomeMissing), "now": .date(view.clock.now),
            ]
            stream.send(Self.event("hello", hello) + lines.map(event).joined())
            state.withLock { state in
                // The other listeners have received the lines up to this position from the call of `news()`.
                state.position = head
                state.listeners.append(stream)
            }
            startBeating()
            return stream
        }
    }

    /// Schedules the events of a change, unless they are scheduled already.
    func historyChanged() {
        let wakes = isAwake.withLock { isAwake in
            defer { isAwake = true }
            return !isAwake
        }
        guard wakes else { return }
        queue.async { [weak self] in self?.tell() }
    }

    private func tell() {
        isAwake.withLock { $0 = false }
        guard state.withLock({ !$0.listeners.isEmpty }) else { return }
        do {
            send(try news())
        } catch {
            send(Self.event("trouble", ["error": .string("\(error)")]))
        }
    }

    /// Returns the events of all changes since the last call; empty if there are no changes or no listeners.
    private func news() throws -> Data {
        let (listeners, position) = state.withLock { ($0.listeners.count, $0.position) }
        guard listeners > 0 else { return Data() }
        let (lines, head, areSomeMissing) = try chronicle.lines(after: position)
        guard head != position else { return Data() }
        state.withLock { $0.position = head }
        let gap = areSomeMissing ? Self.event("gap", [:]) : Data()
        return gap + lines.map(event).joined() + Self.event("changed", [:])
    }

    private func send(_ data: Data) {
        guard !data.isEmpty else { return }
        state.withLock { state in state.listeners.removeAll { !$0.send(data) } }
    }

    private var beat: Data { Self.event("beat", ["now": .date(view.clock.now)]) }

    /// Returns whether another client may listen.
    ///
    /// If the limit is reached, sends an event first, which detects closed connections.
    private func makeRoom() -> Bool {
        if state.withLock({ $0.listeners.count }) >= maximumListeners { send(beat) }
        return state.withLock { $0.listeners.count } < maximumListeners
    }

    private func startBeating() {
        state.withLock { state in
            guard state.beats == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + heartbeat, repeating: heartbeat)
            timer.setEventHandler { [weak self] in self?.keepBeating() }
            timer.activate()
            state.beats = timer
        }
    }

    private func keepBeating() {
        // Looks for new lines too, since no notification announces the records of other processes.
        tell()
        send(beat)
        state.withLock { state in
            if state.listeners.isEmpty { state.beats.take()?.cancel() }
        }
    }

    // MARK: Event format

    private func place(in identifier: String?) -> Int? {
        let parts = identifier?.split(separator: ":") ?? []
        guard parts.count == 2, parts[0] == instance else { return nil }
        return Int(parts[1])
    }

    private func event(_ line: StoreChronicle.Line) -> Data {
        Self.event("line", json(of: line), id: "\(instance):\(line.position)")
    }

    /// Returns a line as JSON, whose texts are not long.
    func json(of line: StoreChronicle.Line) -> JSONValue {
        var json =
            ["position": .number(line.position), "kind": .string(line.entry.kind.rawValue)] + line.entry.json + [
                "order": .optional(line.entry.order?.number)
            ]
        if let notification = notification(of: line.entry) { json = json + notification }
        return json.shortened(to: 1000)
    }

    /// Returns the members of a line about a notification, by which a client recognizes it; nil for any other line.
    private func notification(of entry: SandboxTimeline.Entry) -> JSONValue? {
        let parts = (entry.notification ?? "").split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2,
            let found = try? view.notification(at: ServerNotification.Position(record: parts[0], index: parts[1]))
        else { return nil }
        return [
            "notification": .string(found.identifier.uuidString.lowercased()), "type": .string(found.type),
            "subtype": .optional(found.subtype), "about": .optional(found.transaction?.transactionId),
            "result": .optional(entry.result),
        ]
    }

    private static func event(_ name: String, _ value: JSONValue, id: String? = nil) -> Data {
        // The JSON is one line, so no text in it can end the event.
        Data("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8) + value.data + Data("\n\n".utf8)
    }
}

extension [Data] {
    fileprivate func joined() -> Data { reduce(into: Data()) { $0 += $1 } }
}
