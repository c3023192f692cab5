import Foundation
import StoreCore

/// A checker of an app's download updates in one launch, against the table of legal transitions.
final class DownloadMonitor: @unchecked Sendable {  // unchecked: a run uses one thread
    private struct Seen {
        let download: SKDownload
        var state = SKDownloadState.waiting
        var progress: Float = 0
        /// The date of its last start by the store's clock, and its progress then.
        var begun = (date: Date.distantPast, progress: Float(0))
    }

    static let content = Data("0123456789".utf8)
    /// The rate in bytes a second: a piece of three takes half a day.
    static let rate = 3.0 / 43_200
    static let pieceSize = 3

    private let device: Int
    private let clock: ManualClock
    private unowned let eventLog: EventLog
    private var seen: [ObjectIdentifier: Seen] = [:]

    init(_ device: Int, _ clock: ManualClock, _ eventLog: EventLog) {
        self.device = device
        self.clock = clock
        self.eventLog = eventLog
    }

    /// The number of running downloads.
    var active: Int { seen.values.count { $0.download.state == .active } }

    /// Checks what happened while no observer listened.
    func lookUp() {
        for (key, known) in seen {
            seen[key] = Seen(download: known.download, state: known.download.state, progress: known.download.progress)
        }
    }

    /// Performs an app's operation on a download.
    ///
    /// - Returns: the violation, if any.
    func ask(_ action: SimulatedOperation.DownloadAction, of download: SKDownload, _ order: () -> Void) -> String? {
        let before = seen[ObjectIdentifier(download)]?.state ?? .waiting
        seen[ObjectIdentifier(download), default: Seen(download: download)].state = before
        if before != download.state { return "a download is \(download.state) and was told as \(before)" }
        order()
        let after = seen[ObjectIdentifier(download)]?.state ?? .waiting
        let isRight =
            switch action {
            case .start where [.waiting, .failed, .cancelled].contains(before): [.active, .failed].contains(after)
            case .pause where before == .active: after == .paused
            case .resume where before == .paused: [.active, .failed].contains(after)
            case .cancel where [.active, .paused, .failed].contains(before): after == .cancelled
            default: after == before
            }
        return isRight ? nil : "\(action) makes a download \(after) that was \(before)"
    }

    func hear(_ download: SKDownload) {
        let key = ObjectIdentifier(download)
        var known = seen[key] ?? Seen(download: download)
        let (old, new) = (known.state, download.state)
        if !Self.isLegal(old, new) { eventLog.broke("device \(device) heard of a download as \(new) after \(old)") }
        if new == .failed, !eventLog.excusesFailure(on: device) {
            eventLog.broke("a download on device \(device) failed with nothing in its way: \(download.error as Any)")
        }
        if new == .active, old != .active { known.begun = (clock.now, download.progress) }
        let hasBegunAnew = old == .cancelled || new == .cancelled
        if download.progress < known.progress, !hasBegunAnew { eventLog.broke("a download has less than before") }
        if new == .active || new == .finished {
            let seconds = clock.now.timeIntervalSince(known.begun.date)
            let most = Double(known.begun.progress) + seconds * Self.rate / Double(Self.content.count)
            if Double(download.progress) > most + 0.001 { eventLog.broke("a download comes faster than its pace") }
        }
        if (new == .failed) != (download.error != nil) {
            eventLog.broke("a \(new) download says why: \(new == .failed)")
        }
        if new == .finished, !isWhole(download) { eventLog.broke("a finished download is not what the store hosts") }
        known.state = new
        known.progress = download.progress
        seen[key] = known
    }

    private func isWhole(_ download: SKDownload) -> Bool {
        guard download.progress == 1, let url = download.contentURL else { return false }
        return (try? Data(contentsOf: url)) == Self.content
    }

    private static func isLegal(_ old: SKDownloadState, _ new: SKDownloadState) -> Bool {
        switch (old, new) {
        case (.waiting, .active), (.failed, .active), (.cancelled, .active), (.paused, .active): true
        case (.active, .active), (.active, .paused), (.active, .finished), (.active, .failed): true
        case (.active, .cancelled), (.paused, .cancelled), (.failed, .cancelled): true
        default: false
        }
    }
}
