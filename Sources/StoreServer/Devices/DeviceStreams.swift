import Foundation
import StoreCore
import StoreRemote

/// The streams of updates that devices have open, with one timer for the signs of life of all.
final class DeviceStreams: HistoryListener {
    /// What a device asks to be told.
    struct Subscription {
        let store: SandboxStore
        let device: SandboxDevice
        let token: DeviceToken
        let journal: JournalID
        let cursor: UpdateCursor?
        let wantsReceipts: Bool
        let log: StoreLog
    }

    /// A stream, which lives as long as its connection.
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

    /// Begins a stream.
    ///
    /// Where the token has as many as it may, the new one takes the place of the oldest for the same journal, whose client has
    /// gone without a word. Returns nil if there is none.
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

    /// Has every stream look for what has changed, a little later: a store may change often.
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

    /// Notes something for every stream, and has it asked.
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
