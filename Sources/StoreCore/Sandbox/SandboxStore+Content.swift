import Foundation

extension SandboxStore {
    /// The download pace of devices that have none of their own; at once by default.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace } }
        set { core.content.withLock { $0.pace = newValue } }
    }

    /// Makes a download on the first device fail, once; see ``SandboxDevice/failDownload(of:at:with:)``.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        device.failDownload(of: contentIdentifier, at: point, with: failure)
    }

    /// Sends a range of the content hosted for a transaction of the first device, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: 0, reply: reply)
    }
}
