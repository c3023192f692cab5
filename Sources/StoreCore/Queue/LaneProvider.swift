import Dispatch

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
