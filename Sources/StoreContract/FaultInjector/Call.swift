import StoreCore

/// Somebody waits for an answer to this.
final class Call: Sendable {
    private enum Status { case open, answered, failed }

    let id: Int
    private let status = Locked(Status.open)
    private let tell: @Sendable (StoreFailure) -> Void

    /// `tell` tells the caller of a failure.
    init(id: Int, tell: @escaping @Sendable (StoreFailure) -> Void) {
        self.id = id
        self.tell = tell
    }

    /// Whether the caller still listens; one that has its answer does, to repetitions.
    var isListening: Bool { status.withLock { $0 != .failed } }

    /// Whether the answer may be told.
    func answer() -> Bool {
        status.withLock { status in
            if status == .open { status = .answered }
            return status == .answered
        }
    }

    /// No answer will be told any more; `body` still runs before the caller hears why.
    ///
    /// Nothing happens once there was an answer or a failure.
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
