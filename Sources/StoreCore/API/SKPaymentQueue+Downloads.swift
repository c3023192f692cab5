import Foundation

extension SKPaymentQueue {
    /// Applies the app's order to downloads; logs the reason for each that refuses it.
    func obey(_ order: DownloadOrder, _ downloads: [SKDownload]) {
        let engine = notifier.driver.downloadEngine.load()
        func refuse(_ download: SKDownload, _ refusal: DownloadRefusal) {
            let name = download.contentIdentifier
            let reason = refusal.rawValue
            notifier.core.setup.log("the download of \(name) is left as it is, asked to \(order.rawValue): \(reason)")
        }
        var own: [Int: SKDownload] = [:]
        var numbers: [Int] = []
        for download in downloads {
            guard let source = download.details.withLock({ $0.source }), source.engine === engine else {
                refuse(download, .foreign)
                continue
            }
            own[source.number] = download
            numbers.append(source.number)
        }
        guard let engine, !numbers.isEmpty else { return }
        for (number, refusal) in engine.obey(order, numbers) {
            if let download = own[number] { refuse(download, refusal) }
        }
    }
}
