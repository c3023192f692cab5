/// A point at which a download fails.
public enum DownloadFailurePoint: Hashable, Sendable {
    /// After so many bytes of the file, at least 0. Has no effect on a file that is not longer.
    case afterBytes(Int64)
    /// In place of the n-th piece of the file that is requested from now on, from 1.
    case chunk(Int)
}
