extension CourierRound {
    /// Changes downloads on the way; one that changes again begins a callback of its own.
    static func gatherDownloads(_ batch: inout DeliveryBatch) -> [SKDownload] {
        var downloads: [SKDownload] = []
        while !batch.isDone, downloads.count < batchSize,
            case .download(let object, let report) = batch.deliveries[batch.index]
        {
            let download = SKDownload.own(object)
            if downloads.contains(where: { $0 === download }) { break }
            download.apply(report)
            downloads.append(download)
            batch.index += 1
        }
        return downloads
    }
}
