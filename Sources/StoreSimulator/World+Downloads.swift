import Foundation
import StoreCore

// Files that the store keeps for the game.
extension World {
    /// The app on a device asks something of the downloads of one of its transactions.
    func download(_ act: Step.DownloadAct, _ index: Int, on device: Int) {
        let app = apps[device]
        let hosted = app.queue.transactions.filter { !$0.downloads.isEmpty }
        guard !hosted.isEmpty, isObserved[device] else { return }
        for download in hosted[index % hosted.count].downloads {
            let violation = app.downloads.ask(act, of: download) {
                switch act {
                case .start: app.queue.start([download])
                case .pause: app.queue.pause([download])
                case .resume: app.queue.resume([download])
                case .cancel: app.queue.cancel([download])
                }
            }
            if let violation, !app.pulse.isDead { diary.broke(violation) }
        }
    }

    /// The next piece that comes to a device fails.
    func failDownload(on device: Int) {
        store.device(named: Self.deviceNames[device])?
            .failDownload(of: Step.Product.game.rawValue, at: .chunk(1), with: .network(.timedOut, "a slow night"))
    }

    /// Downloads that are under way wait for the store's clock.
    var waitingForClock: Int { apps.reduce(0) { $0 + ($1.pulse.isDead ? 0 : $1.downloads.active) } }
}
