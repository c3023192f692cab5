import Foundation
import StoreCore
import Testing

/// How downloads fail, and go on.
@Suite struct DownloadFailureTests {
    private static let slow = StoreFailure.network(.timedOut, "too slow")

    @Test func `B193, B194: A download fails after the n-th byte, with any error, and goes on from there`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.store.failDownload(of: "level.2", at: .afterBytes(3), with: Self.slow)
        hosting.queue.start([download])
        hosting.clock.advance(by: 100)
        #expect(
            hosting.recorder.history == [
                "level.2 active 0.0", "level.2 active 0.2", "level.2 active 0.3", "level.2 failed 0.3",
            ]
        )
        #expect(download.trouble == .network(.timedOut))
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        #expect(download.contentURL == nil)
        hosting.recorder.clear()
        hosting.queue.start([download])
        #expect(download.error == nil)
        hosting.clock.advance(by: 100)
        #expect(hosting.recorder.history.first == "level.2 active 0.3")
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `B194: A download fails in the place of the n-th piece, with a code of Store Kit's`() throws {
        let hosting = try Hosting(pace: .atOnce(inChunksOf: 2))
        let download = try hosting.download()
        hosting.store.failDownload(of: "level.2", at: .chunk(3), with: .storeKit(.clientInvalid, "not this one"))
        hosting.queue.start([download])
        #expect(download.state == .failed)
        #expect(download.progress == 0.4)
        #expect(download.trouble == .storeKit(.clientInvalid))
    }

    @Test func `Failures that were set up act one after another, each once`() throws {
        let hosting = try Hosting(pace: .atOnce(inChunksOf: 2))
        let download = try hosting.download()
        hosting.store.failDownload(of: "level.2", at: .afterBytes(6), with: Self.slow)
        hosting.store.failDownload(of: "level.2", at: .chunk(1), with: .storeKit(.unknown, "at once"))
        hosting.store.failDownload(of: "another", at: .chunk(1), with: Self.slow)
        hosting.queue.start([download])
        #expect(download.trouble == .storeKit(.unknown))
        hosting.queue.start([download])
        #expect(download.trouble == .network(.timedOut))
        #expect(download.progress == 0.6)
        hosting.queue.start([download])
        #expect(download.state == .finished)
    }

    @Test func `A version that is not hosted any more fails, and the next launch has the new one`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.clock.advance(by: 1)
        try hosting.store.register(.nonConsumable("level.2", price: "1.99").hosting(Data("new".utf8), version: "1.3"))
        hosting.clock.advance(by: 100)
        #expect(download.trouble == .storeKit(.unknown))
        let recorder = DownloadRecorder()
        let queue = hosting.queue.relaunch()
        queue.add(recorder)
        let again = try #require(recorder.downloads.first)
        #expect(again.contentVersion == "1.3")
        queue.start([again])
        hosting.clock.advance(by: 100)
        #expect(try String(contentsOf: #require(again.contentURL), encoding: .utf8) == "new")
    }

    @Test func `Where nothing can be written, the download fails and says so`() throws {
        let hosting = try Hosting(pace: .bytesPerSecond(5, inChunksOf: 5))
        let downloads = hosting.buy("maps") + [try hosting.download()]
        hosting.queue.start([downloads[0]])
        hosting.clock.advance(by: 1)
        let folder = try #require(Hosting.folder(of: downloads[0]))
        // What the operating system may do with temporary files at any time, and worse.
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        hosting.queue.start([downloads[2]])
        hosting.clock.advance(by: 1)
        #expect(downloads[2].state == .failed)
        #expect(downloads[2].trouble == .storeKit(.unknown))
        try FileManager.default.removeItem(at: folder)
        hosting.queue.start([downloads[2]])
        hosting.clock.advance(by: 2)
        #expect(try Data(contentsOf: #require(downloads[2].contentURL)) == Hosting.level)
    }

    @Test func `A half of a file that has vanished is noticed, and started again it comes whole`() throws {
        let hosting = try Hosting(pace: .bytesPerSecond(5, inChunksOf: 5))
        let north = hosting.buy("maps")[0]
        let download = try hosting.download()
        hosting.queue.start([north, download])
        hosting.clock.advance(by: 1)
        try FileManager.default.removeItem(at: #require(Hosting.folder(of: north)))
        hosting.clock.advance(by: 1)
        #expect(download.state == .failed)
        #expect(download.progress == 0)
        hosting.queue.start([download])
        hosting.clock.advance(by: 2)
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }
}
