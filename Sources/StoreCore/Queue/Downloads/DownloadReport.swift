import Foundation

/// A download's progress, as reported to its observers.
struct DownloadReport: Equatable {
    /// Store Kit's states, in its order.
    enum State: Int { case waiting, active, paused, finished, failed, cancelled }

    var state: State
    /// The fraction that has arrived, 0...1.
    var progress: Float = 0
    /// The estimated time remaining, in seconds; nil if unknown.
    var timeRemaining: TimeInterval?
    var failure: StoreFailure?
}
