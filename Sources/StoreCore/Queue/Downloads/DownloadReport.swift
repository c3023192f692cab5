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

/// An app's order to its downloads.
enum DownloadOrder: String { case start, pause, resume, cancel }

/// The reason why an order leaves a download unchanged.
enum DownloadRefusal: String, Error {
    case foreign = "it belongs to no transaction of this queue"
    case over = "its transaction is finished, or its queue has fallen silent"
    case started = "it has been started already"
    case isPaused = "it is paused, and goes on when it is resumed"
    case finished = "it has finished already"
    case notActive = "it is not under way"
    case notPaused = "it is not paused"
    case notStarted = "it has not been started"
}
