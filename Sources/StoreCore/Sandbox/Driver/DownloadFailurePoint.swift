/// A point at which a download fails.
public enum DownloadFailurePoint: Hashable, Sendable {
    /// After a number of bytes of the file, at least 0. Has no effect on a file with no more bytes than that.
    case afterBytes(Int64)
    /// At the n-th chunk of the file that is requested from now on, counted from 1: the failure replaces the chunk.
    case chunk(Int)
}
