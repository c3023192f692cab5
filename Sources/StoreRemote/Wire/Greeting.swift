/// What a device says first.
package struct Greeting: Hashable, Codable, Sendable {
    package var software: String
    package var versions: VersionRange
    /// Whether the app receipt and the receipts of transactions are to come with the updates.
    package var wantsReceipts: Bool

    package init(
        software: String = DeviceProtocol.software,
        versions: VersionRange = DeviceProtocol.versions,
        wantsReceipts: Bool
    ) {
        (self.software, self.versions, self.wantsReceipts) = (software, versions, wantsReceipts)
    }
}

/// What a store answers to it.
package struct Welcome: Hashable, Codable, Sendable {
    package var software: String
    /// The version that both will speak.
    package var version: Int
    /// The seconds between two signs of life on the stream of updates.
    package var heartbeat: Double
    /// The most bytes of a request's body that the store takes; nil where it does not say.
    package var bodySize: Int?
    package var status: DeviceStatus
    package var receipt: ReceiptUpdate?

    package init(
        software: String = DeviceProtocol.software,
        version: Int,
        heartbeat: Double,
        bodySize: Int? = nil,
        status: DeviceStatus,
        receipt: ReceiptUpdate?
    ) {
        (self.software, self.version, self.heartbeat) = (software, version, heartbeat)
        self.bodySize = bodySize
        (self.status, self.receipt) = (status, receipt)
    }
}
