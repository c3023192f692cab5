import Foundation

/// How far a download has come, as its observers are told.
struct DownloadReport: Equatable {
    /// Store Kit's states, in its order.
    enum State: Int { case waiting, active, paused, finished, failed, cancelled }

    var state: State
    /// How much has arrived, 0...1.
    var progress: Float = 0
    /// Seconds, nil where nobody can tell.
    var timeRemaining: TimeInterval?
    var failure: StoreFailure?
}

/// What an app asks of its downloads.
enum DownloadOrder: String { case start, pause, resume, cancel }

/// Why an order leaves a download as it is.
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
