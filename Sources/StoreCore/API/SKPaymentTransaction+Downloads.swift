import Foundation

extension SKPaymentTransaction {
    /// Returns the downloads of this transaction's hosted content; none once it is finished.
    final func downloads(of content: [StoreContent], in driver: QueueDriver) -> [SKDownload] {
        let downloads = driver.downloads
        // In this order: a finish after this check finds the engine above.
        guard driver.isOpen(number), let identifier = transactionIdentifier else { return [] }
        let product = payment.productIdentifier
        let objects = downloads.downloads(
            of: number,
            isFinished: { isFinished },
            {
                content.map {
                    ContentRequest(transaction: identifier, productIdentifier: product, content: $0, limit: 1)
                }
            },
            make: { SKDownload($0, of: self, in: downloads) }
        )
        return objects.map(SKDownload.own)
    }
}

extension SKDownload {
    convenience init(_ draft: DownloadEngine.Draft, of transaction: SKPaymentTransaction, in engine: DownloadEngine) {
        self.init(
            transaction: transaction,
            contentIdentifier: draft.content.identifier,
            contentVersion: draft.content.version,
            expectedContentLength: draft.content.length,
            contentURL: draft.file
        )
        details.withLock { $0.source = Source(engine: engine, number: draft.number) }
    }

    /// Casts an engine's object to a download: an engine holds only results of `downloads`.
    static func own(_ download: AnyObject) -> SKDownload { unsafeDowncast(download, to: SKDownload.self) }

    /// Updates the properties from the engine's report.
    func apply(_ report: DownloadReport) {
        details.withLock { details in
            details.state = SKDownloadState(rawValue: report.state.rawValue)!
            details.progress = report.progress
            details.timeRemaining = report.timeRemaining ?? SKDownloadTimeRemainingUnknown
            details.error = report.failure?.error
        }
    }
}
