import Dispatch

/// A serial executor of a background lane's work.
package protocol LaneExecutor: Sendable {
    /// Enqueues work to run later, never inside this call.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: LaneExecutor {
    package func enqueue(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

/// A backend that runs its queues' background lanes itself, as a replayable simulation does.
package protocol LaneProvider: StoreBackend {
    var laneExecutor: any LaneExecutor { get }
}

extension StoreBackend {
    /// Makes a background lane's executor for this backend; returns nil if the backend is called on the caller's
    /// thread.
    func makeLaneExecutor(label: String) -> (any LaneExecutor)? {
        switch lane {
        case .caller: nil
        case .background: (self as? any LaneProvider)?.laneExecutor ?? DispatchQueue(label: label)
        }
    }
}
