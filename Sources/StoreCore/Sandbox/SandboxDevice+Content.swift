import Foundation

// MARK: - Devices

extension SandboxDevice {
    /// The download pace of this device; the store's unless set.
    ///
    /// A piece under way keeps the pace that held when it was requested.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace(of: number) } }
        set { core.content.withLock { $0.paces[number] = newValue } }
    }

    /// Makes a download on this device fail, once.
    ///
    /// A restarted download resumes where it was.
    ///
    /// - Parameters:
    ///   - contentIdentifier: the file; the product's identifier unless it hosts several.
    ///   - point: the point of failure; a negative number of bytes or a piece below the first stops the process.
    ///   - failure: the download's error in the app, an `SKError` or `URLError` with this code.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        core.content.withLock { $0.fail(contentIdentifier, number, point, failure) }
    }

    /// Sends a range of the content hosted for a purchased or restored transaction of the device, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: number, reply: reply)
    }
}
