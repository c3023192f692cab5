import Foundation

extension SandboxStore {
    /// How fast hosted files come to devices that have no pace of their own; at once to begin with.
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

    /// Sends some bytes of what is hosted for a transaction of the first device's, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: 0, reply: reply)
    }
}
