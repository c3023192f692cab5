import Foundation

/// How far a download has come.
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
    /// All there, see ``SKDownload/contentURL``.
    case finished = 3
    /// Given up, see ``SKDownload/error``.
    case failed = 4
    /// Cancelled by the app.
    case cancelled = 5
}

/// What ``SKDownload/timeRemaining`` says when nobody can tell: a negative number, which no estimate is.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1
