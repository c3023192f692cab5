import Foundation
import StoreCore

// The history of the running store; a crashed one cannot be reached.
extension StoreEndpoint: HistoryRelay {
    func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (any HistoryService, @escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        crashInjector.pass()
        guard !crashInjector.store.hasCrashed, let history = backend.services.history else {
            modelDriver.eventLog.historyFailures += 1
            return reply(.failure(.network(.networkConnectionLost, "the store went away")))
        }
        call(history, reply)
    }

    func follow(_ listener: any HistoryListener) {
        followers.append(HistoryFollower(listener))
        if !crashInjector.store.hasCrashed { backend.services.history?.follow(listener) }
    }

    /// Has the followers of a crashed store's history follow its successor's, which they may read again.
    func followAgain() {
        followers.removeAll { $0.listener == nil }
        for follower in followers {
            guard let listener = follower.listener else { continue }
            backend.services.history?.follow(listener)
            listener.historyChanged()
        }
    }
}

/// A weak reference to a listener to the history.
struct HistoryFollower {
    private(set) weak var listener: (any HistoryListener)?

    init(_ listener: any HistoryListener) { self.listener = listener }
}
