/// The speed of a sandbox store's downloads, and the size of their pieces.
public struct DownloadPace: Hashable, Sendable {
    /// The bytes of each download per second of the store's clock; nil sends them at once.
    public let bytesPerSecond: Double?
    /// The bytes in each piece.
    ///
    /// The last piece may be shorter.
    public let chunkSize: Int

    /// Everything at once, in pieces of 64 KiB.
    public static let atOnce = atOnce(inChunksOf: defaultChunkSize)

    /// Returns a pace that sends everything at once, in pieces.
    ///
    /// A size below 1 stops the process.
    public static func atOnce(inChunksOf chunkSize: Int) -> DownloadPace {
        DownloadPace(bytesPerSecond: nil, chunkSize: chunkSize)
    }

    /// Returns a pace of so many bytes per second for each download, whatever else is under way.
    ///
    /// A rate that is not above 0 and a size below 1 stop the process.
    ///
    /// - Parameters:
    ///   - rate: bytes per second.
    ///   - chunkSize: bytes in each piece, which comes when the last of them would have.
    /// - Returns: the pace.
    public static func bytesPerSecond(_ rate: Double, inChunksOf chunkSize: Int = defaultChunkSize) -> DownloadPace {
        guard rate > 0, rate.isFinite else { fatalError("at \(rate) bytes a second nothing is ever downloaded") }
        return DownloadPace(bytesPerSecond: rate, chunkSize: chunkSize)
    }

    /// The default size of a piece: 64 KiB.
    public static let defaultChunkSize = 65_536

    private init(bytesPerSecond: Double?, chunkSize: Int) {
        guard chunkSize >= 1 else { fatalError("a piece of a download has at least one byte, not \(chunkSize)") }
        self.bytesPerSecond = bytesPerSecond
        self.chunkSize = chunkSize
    }
}
