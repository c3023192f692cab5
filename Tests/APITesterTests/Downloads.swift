import StoreKit

// Compiles, and so shows that what a client may write about downloads and receipts compiles.

class ClientDownload: SKDownload, @unchecked Sendable {
    override init() { super.init() }
    override var state: SKDownloadState { .active }
    override var downloadState: SKDownloadState { .active }
    override var progress: Float { 0.5 }
    override var timeRemaining: TimeInterval { SKDownloadTimeRemainingUnknown }
    override var contentURL: URL? { nil }
    override var error: (any Error)? { nil }
    override var contentIdentifier: String { "" }
    override var contentVersion: String { "" }
    override var contentLength: Int64 { 0 }
    override var expectedContentLength: Int64 { 0 }
    override var transaction: SKPaymentTransaction { SKPaymentTransaction() }
    override class func contentURL(forProductID productID: String) -> URL? { nil }
    override class func deleteContent(forProductID productID: String) {}
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

func useDownloads(_ queue: SKPaymentQueue, _ transaction: SKPaymentTransaction) {
    let downloads: [SKDownload] = transaction.downloads
    queue.start(downloads)
    queue.pause(downloads)
    queue.resume(downloads)
    queue.cancel(downloads)
    for download in downloads where download.state == .finished || download.downloadState == .finished {
        let _: (URL?, String, String) = (download.contentURL, download.contentIdentifier, download.contentVersion)
        let _: (Int64, Int64) = (download.contentLength, download.expectedContentLength)
        let _: (Float, TimeInterval) = (download.progress, download.timeRemaining)
        let _: ((any Error)?, SKPaymentTransaction) = (download.error, download.transaction)
    }
    let _: URL? = SKDownload.contentURL(forProductID: "level.2")
    SKDownload.deleteContent(forProductID: "level.2")
    let _: TimeInterval = SKDownloadTimeRemainingUnknown
    let _: any Sendable = SKDownload()
}

func useReceipts() {
    if let url = Bundle.main.appStoreReceiptURL, (try? Data(contentsOf: url)) == nil { SKTerminateForInvalidReceipt() }
    let _: [String: Any] = [
        SKReceiptPropertyIsExpired: 0, SKReceiptPropertyIsRevoked: NSNumber(value: true),
        SKReceiptPropertyIsVolumePurchase: false,
    ]
}
