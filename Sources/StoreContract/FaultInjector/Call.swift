import StoreCore

/// A call whose caller waits for an answer.
final class Call: Sendable {
    private enum Status { case open, answered, failed }

    let id: Int
    private let status = Locked(Status.open)
    private let tell: @Sendable (StoreFailure) -> Void

    /// Creates a call; `tell` reports a failure to the caller.
    init(id: Int, tell: @escaping @Sendable (StoreFailure) -> Void) {
        self.id = id
        self.tell = tell
    }

    /// Whether the caller still listens; one that has its answer listens for repetitions.
    var isListening: Bool { status.withLock { $0 != .failed } }

    /// Whether the answer may be delivered.
    func answer() -> Bool {
        status.withLock { status in
            if status == .open { status = .answered }
            return status == .answered
        }
    }

    /// Fails the call, after which no answer is delivered; `body` still runs before the caller hears why.
    ///
    /// Does nothing once there was an answer or a failure.
    func fail(_ failure: StoreFailure, after body: () -> Void = {}) {
        let isMine = status.withLock { status in
            guard status == .open else { return false }
            status = .failed
            return true
        }
        body()
        if isMine { tell(failure) }
    }
}
