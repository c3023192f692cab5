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
