import Dispatch

/// A serial executor of a background lane's work.
package protocol LaneExecutor: Sendable {
    /// Enqueues work to run later, never inside this call.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: LaneExecutor {
    package func enqueue(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}
