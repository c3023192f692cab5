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
}
