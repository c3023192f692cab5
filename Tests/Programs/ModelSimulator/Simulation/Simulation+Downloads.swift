import Foundation
import StoreCore

// The game's hosted files.
extension Simulation {
    /// Performs an app's operation on the downloads of one of its transactions.
    func download(_ action: SimulatedOperation.DownloadAction, _ index: Int, on device: Int) {
        let app = apps[device]
        let hosted = app.queue.transactions.filter { !$0.downloads.isEmpty }
        guard !hosted.isEmpty, isObserved[device] else { return }
        for download in hosted[index % hosted.count].downloads { ask(action, of: download, app) }
    }

    private func ask(_ action: SimulatedOperation.DownloadAction, of download: SKDownload, _ app: AppRun) {
        let violation = app.downloads.ask(action, of: download) {
            switch action {
            case .start: app.queue.start([download])
            case .pause: app.queue.pause([download])
            case .resume: app.queue.resume([download])
            case .cancel: app.queue.cancel([download])
            }
            runLanes()
        }
        if let violation, !app.process.hasCrashed { eventLog.broke(violation) }
    }

    /// Asks for every missing file and checks that it arrives: only planned failures are in the way.
    func finishDownloads() -> String? {
        for _ in 0...(eventLog.plannedFailures.max() ?? 0) {
            var isAsked = false
            for app in apps {
                for download in app.queue.transactions.flatMap(\.downloads) where download.state != .finished {
                    isAsked = true
                    if download.state == .active { continue }
                    ask(download.state == .paused ? .resume : .start, of: download, app)
                }
            }
            if !isAsked { return eventLog.violation }
            // Whole files arrive in two days.
            clock.advance(by: 2 * 86_400)
        }
        for device in apps.indices {
            let downloads = apps[device].queue.transactions.flatMap(\.downloads)
            if let download = downloads.first(where: { $0.state != .finished }) {
                return "a download on device \(device) is \(download.state), and nothing is in its way"
            }
        }
        return eventLog.violation
    }

    /// Makes the next piece of a file fail on a device.
    func failDownload(on device: Int) {
        store.device(named: Model.deviceNames[device])?
            .failDownload(
                of: SimulatedOperation.Product.game.rawValue,
                at: .chunk(1),
                with: .network(.timedOut, "a slow night")
            )
    }

    /// The number of running downloads that wait for the store's clock.
    var waitingForClock: Int { apps.reduce(0) { $0 + ($1.process.hasCrashed ? 0 : $1.downloads.active) } }
}
