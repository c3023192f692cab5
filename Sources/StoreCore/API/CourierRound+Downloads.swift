extension CourierRound {
    /// Changes downloads on the way, beginning with one that has been taken out.
    ///
    /// One that changes again begins a callback of its own.
    static func gatherDownloads(
        _ first: AnyObject,
        _ report: DownloadReport,
        _ batch: inout DeliveryBatch
    ) -> [SKDownload] {
        let first = SKDownload.own(first)
        first.apply(report)
        var downloads = [first]
        while !batch.isDone, downloads.count < batchSize,
            case .download(let object, let report) = batch.next
        {
            let download = SKDownload.own(object)
            if downloads.contains(where: { $0 === download }) { break }
            download.apply(report)
            downloads.append(download)
            batch.removeNext()
        }
        return downloads
    }
}
