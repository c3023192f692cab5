import Foundation

/// A store's service that sends the files that it hosts.
public protocol ContentService: Sendable {
    /// Sends a range of bytes of a hosted file.
    ///
    /// A queue requests one piece of a file at a time, and the next when it has written the last one. A download that
    /// was paused or failed resumes where it stopped, however long ago that was. The bytes of one version never change;
    /// a version that is no longer hosted is refused.
    ///
    /// - Parameters:
    ///   - request: the range of bytes, and their file.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. At least
    ///     one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``. A failure ends the
    ///     download with this error; the app may start it again.
    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void)
}
