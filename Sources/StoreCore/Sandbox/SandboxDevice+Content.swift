import Foundation

// MARK: - Devices

extension SandboxDevice {
    /// How fast hosted files come to this device; the store's pace unless it is given one.
    ///
    /// A piece that is on its way keeps the pace that held when it was asked for.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace(of: number) } }
        set { core.content.withLock { $0.paces[number] = newValue } }
    }

    /// Makes a download on this device fail, once.
    ///
    /// Started again, it goes on where it was.
    ///
    /// - Parameters:
    ///   - contentIdentifier: the file; the product's identifier unless it hosts several.
    ///   - point: where; a negative number of bytes and a piece below the first stop the process.
    ///   - failure: what the app gets as the download's error, an `SKError` or `URLError` with this code.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        core.content.withLock { $0.fail(contentIdentifier, number, point, failure) }
    }

    /// Sends some bytes of what is hosted for a purchased or restored transaction of the device's, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: number, reply: reply)
    }
}
