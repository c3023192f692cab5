import Foundation
import StoreCore
import Testing

/// What is left of a download that is under way when its queue or its store goes.
@Suite struct DownloadLifetimeTests {
    @Test(arguments: [false, true])
    func `A store whose queue goes, or is relaunched, while a file comes piece by piece goes too, with its clock`(
        isRelaunched: Bool
    ) throws {
        weak var store: SandboxStore?
        weak var clock: ManualClock?
        let folder = try {
            let hosting = try Hosting()
            (store, clock) = (hosting.store, hosting.clock)
            let folder = try startPaced(hosting)
            if isRelaunched {
                _ = hosting.queue.relaunch()
                #expect(!FileManager.default.fileExists(atPath: folder.path))
            }
            return folder
        }()
        #expect(store == nil)
        #expect(clock == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `A store that is replaced while a file comes goes, with its clock`() throws {
        weak var store: SandboxStore?
        weak var clock: ManualClock?
        let context = StoreContext(delivery: .inline, log: .silent)
        let recorder = DownloadRecorder()
        try context.run {
            let first = try SandboxStore(products: Hosting.products, clock: ManualClock())
            first.downloadPace = .bytesPerSecond(1)
            (store, clock) = (first, first.clock as? ManualClock)
            context.use(first)
            SKPaymentQueue.default().add(recorder)
            SKPaymentQueue.default().add(SKPayment(productIdentifier: "level.2"))
            SKPaymentQueue.default().start(recorder.downloads)
            #expect(recorder.history.last == "level.2 active 0.0")
            SKPaymentQueue.default().remove(recorder)
            context.use(try SandboxStore())
        }
        recorder.forget()
        #expect(store == nil)
        #expect(clock == nil)
    }

    @Test func `A clock that outlives a store has no timer left of a file that was coming`() throws {
        let clock: ManualClock
        do {
            let hosting = try Hosting()
            clock = hosting.clock
            hosting.queue.start([try hosting.download()])
            #expect(clock.nextDeadline != nil)
        }
        #expect(clock.nextDeadline == nil)
    }

    @Test func `A device that loses its store has no timer left of a file that was coming`() throws {
        let hosting = try Hosting()
        hosting.queue.start([try hosting.download()])
        // Nobody is left who would connect again later.
        hosting.queue.remove(hosting.recorder)
        #expect(hosting.clock.nextDeadline != nil)
        hosting.store.device.isReachable = false
        #expect(hosting.clock.nextDeadline == nil)
    }

    /// Starts the two files of `maps`, of which nothing has come, and gives the folder in which another has come.
    private func startPaced(_ hosting: Hosting) throws -> URL {
        hosting.store.downloadPace = .atOnce
        let level = try hosting.download()
        hosting.queue.start([level])
        hosting.store.downloadPace = .bytesPerSecond(2, inChunksOf: 2)
        hosting.queue.start(hosting.buy("maps"))
        #expect(hosting.recorder.history == ["maps.north active 0.0", "maps.south active 0.0"])
        let folder = try #require(Hosting.folder(of: level))
        #expect(FileManager.default.fileExists(atPath: folder.path))
        return folder
    }
}
