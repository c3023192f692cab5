import Foundation

extension SandboxStore {
    /// The download pace of devices that have none of their own; at once by default.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace } }
        set { core.content.withLock { $0.pace = newValue } }
    }
}
