extension ObserverNotifier {
    /// Collects consecutive reports, applying each to its download, beginning with one removed from the batch.
    ///
    /// A download that changes again begins a callback of its own.
    static func gatherDownloads(
        _ first: AnyObject,
        _ report: DownloadReport,
        _ batch: inout NoticeBatch
    ) -> [SKDownload] {
        let first = SKDownload.own(first)
        first.apply(report)
        var downloads = [first]
        while downloads.count < batchSize, let notice = batch.popNext() {
            guard case .download(let object, let report) = notice, !downloads.contains(where: { $0 === object }) else {
                batch.putBack(notice)
                break
            }
            let download = SKDownload.own(object)
            download.apply(report)
            downloads.append(download)
        }
        return downloads
    }
}
