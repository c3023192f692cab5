/// The speed of a sandbox store's downloads, by the store's clock, and the size of their chunks.
public struct DownloadPace: Hashable, Sendable {
    /// The bytes of each download per second of the store's clock; nil for no limit.
    package let bytesPerSecond: Double?
    /// The bytes in each chunk.
    ///
    /// The last chunk may be shorter.
    package let chunkSize: Int

    /// Everything at once, in chunks of 64 KiB.
    public static let atOnce = atOnce(inChunksOf: defaultChunkSize)

    /// Returns a pace that sends everything at once, in chunks.
    ///
    /// A size below 1 stops the process.
    public static func atOnce(inChunksOf chunkSize: Int) -> DownloadPace {
        DownloadPace(bytesPerSecond: nil, chunkSize: chunkSize)
    }

    /// Returns a pace of a number of bytes per second for each download, independent of other downloads.
    ///
    /// Stops the process for a rate that is not above 0, or a size below 1.
    ///
    /// - Parameters:
    ///   - rate: bytes per second of the store's clock.
    ///   - chunkSize: bytes in each chunk, which is delivered when its last byte is due.
    /// - Returns: the pace.
    public static func bytesPerSecond(_ rate: Double, inChunksOf chunkSize: Int = defaultChunkSize) -> DownloadPace {
        guard rate > 0, rate.isFinite else { fatalError("at \(rate) bytes a second nothing is ever downloaded") }
        return DownloadPace(bytesPerSecond: rate, chunkSize: chunkSize)
    }

    /// The default size of a chunk: 64 KiB.
    public static let defaultChunkSize = 65_536

    private init(bytesPerSecond: Double?, chunkSize: Int) {
        guard chunkSize >= 1 else { fatalError("a piece of a download has at least one byte, not \(chunkSize)") }
        self.bytesPerSecond = bytesPerSecond
        self.chunkSize = chunkSize
    }
}
