import Foundation

/// The state of a download.
///
/// The list is complete: later versions add nothing to it.
@frozen
public enum SKDownloadState: Int, Sendable {
    /// Not started yet.
    case waiting = 0
    /// Under way.
    case active = 1
    /// Stopped for now.
    case paused = 2
    /// Complete, see ``SKDownload/contentURL``.
    case finished = 3
    /// Failed, see ``SKDownload/error``.
    case failed = 4
    /// Canceled by the app.
    case cancelled = 5
}

/// The value of ``SKDownload/timeRemaining`` without an estimate: a negative number, which no estimate is.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1
