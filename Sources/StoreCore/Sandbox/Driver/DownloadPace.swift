/// How fast a sandbox store's hosted files come, and in pieces of what size.
public struct DownloadPace: Hashable, Sendable {
    /// How many bytes of each download come in a second by the store's clock; nil sends them at once.
    public let bytesPerSecond: Double?
    /// How many bytes come at a time.
    ///
    /// The last piece may be shorter.
    public let chunkSize: Int

    /// Everything at once, in pieces of 64 KiB.
    public static let atOnce = atOnce(inChunksOf: defaultChunkSize)

    /// Everything at once, in pieces.
    ///
    /// A size below 1 stops the process.
    public static func atOnce(inChunksOf chunkSize: Int) -> DownloadPace {
        DownloadPace(bytesPerSecond: nil, chunkSize: chunkSize)
    }

    /// So many bytes of each download in a second, whatever else is under way.
    ///
    /// A rate that is not above 0 and a size below 1 stop the process.
    ///
    /// - Parameters:
    ///   - rate: bytes a second.
    ///   - chunkSize: bytes in each piece, which comes when the last of them would have.
    /// - Returns: the pace.
    public static func bytesPerSecond(_ rate: Double, inChunksOf chunkSize: Int = defaultChunkSize) -> DownloadPace {
        guard rate > 0, rate.isFinite else { fatalError("at \(rate) bytes a second nothing is ever downloaded") }
        return DownloadPace(bytesPerSecond: rate, chunkSize: chunkSize)
    }

    /// 64 KiB.
    public static let defaultChunkSize = 65_536

    private init(bytesPerSecond: Double?, chunkSize: Int) {
        guard chunkSize >= 1 else { fatalError("a piece of a download has at least one byte, not \(chunkSize)") }
        self.bytesPerSecond = bytesPerSecond
        self.chunkSize = chunkSize
    }
}

/// Where a download is to fail.
public enum DownloadFailurePoint: Hashable, Sendable {
    /// When so many bytes of the file are there, at least 0. Has no effect on a file that is not longer.
    case afterBytes(Int64)
    /// In the place of the n-th piece of the file that is asked for from now on, from 1.
    case chunk(Int)
}
