import Foundation

/// An app's iteration over Store Kit 2's updates, and what it has heard.
final class UpdatesProbe: @unchecked Sendable {  // unchecked: a run uses one thread
    /// An update: a transaction is told again once it is revoked.
    private struct Update: Hashable {
        let identifier: String
        let revocationDate: Date?
    }

    var task: Task<Void, Never>?
    /// All transactions that it has heard.
    private(set) var identifiers: Set<String> = []
    /// The revoked transactions that it has heard, and those that were revoked before it had to hear.
    var revoked: Set<String>
    private(set) var isOver = false
    /// Whether it does not take updates now.
    private(set) var isPaused = false
    /// Whether it may hear of what has changed since: it was paused, or the history could not be read.
    private(set) var isBehind = false
    /// What it has heard since the device's user changed last.
    private var heard: [Update: Int] = [:]
    private var gate: CheckedContinuation<Void, Never>?

    init(revoked: Set<String>) { self.revoked = revoked }

    /// Records an update.
    ///
    /// Returns false if it has been heard before. What is revoked before it is heard of may be heard of twice: as
    /// unfinished, and as revoked.
    func hear(_ identifier: String, revocationDate: Date?) -> Bool {
        identifiers.insert(identifier)
        if revocationDate != nil { revoked.insert(identifier) }
        let times = heard[Update(identifier: identifier, revocationDate: revocationDate), default: 0] + 1
        heard[Update(identifier: identifier, revocationDate: revocationDate)] = times
        return times <= (revocationDate == nil ? 1 : 2)
    }

    /// Whether it has heard of a transaction that was not revoked.
    func hasHeardOfPurchase(_ identifier: String) -> Bool {
        heard[Update(identifier: identifier, revocationDate: nil)] != nil
    }

    /// Allows all to be told again: the old user's transactions leave the queue, and come back later.
    func userChanges() { heard = [:] }

    func fallBehind() { isBehind = true }

    func pause(_ isOn: Bool) {
        isPaused = isOn
        if isOn { isBehind = true } else { goOn() }
    }

    /// Waits while it is paused, or until its task is canceled.
    func wait() async {
        guard isPaused else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { gate = continuation }
            }
        } onCancel: {
            goOn()
        }
    }

    private func goOn() {
        let waiting = gate
        gate = nil
        waiting?.resume()
    }

    func end() { isOver = true }
}
