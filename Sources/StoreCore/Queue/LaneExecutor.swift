import Dispatch

/// An executor of a background lane's work, one piece after another.
package protocol LaneExecutor: Sendable {
    /// Runs work later, never inside this call.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: LaneExecutor {
    package func enqueue(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

/// A backend that runs its queues' background lanes itself, as a simulation does that has to replay.
package protocol LaneProvider: StoreBackend {
    var laneExecutor: any LaneExecutor { get }
}

extension StoreBackend {
    /// Makes the executor of a background lane on this backend; returns nil if the backend is called on the caller's thread.
    func makeLaneExecutor(label: String) -> (any LaneExecutor)? {
        switch lane {
        case .caller: nil
        case .background: (self as? any LaneProvider)?.laneExecutor ?? DispatchQueue(label: label)
        }
    }
}
