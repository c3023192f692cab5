import Foundation
import StoreCore
import Testing

/// What an app may ask of its downloads, and what not.
@Suite struct DownloadOrderTests {
    @Test func `B111, B193: Started, a download becomes active, moves on piece by piece and is finished`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        #expect(hosting.recorder.callbacks == [["level.2 active 0.0"]])
        hosting.clock.advance(by: 5)
        #expect(
            hosting.recorder.callbacks == [
                ["level.2 active 0.0"], ["level.2 active 0.2"], ["level.2 active 0.4"], ["level.2 active 0.6"],
                ["level.2 active 0.8"], ["level.2 finished 1.0"],
            ]
        )
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
        #expect(hosting.log.lines == [])
    }

    @Test func `B111: Several downloads are started in one call and told of together`() throws {
        let hosting = try Hosting(pace: .bytesPerSecond(5))
        let downloads = hosting.buy("maps")
        #expect(downloads.map(\.contentIdentifier) == ["maps.north", "maps.south"])
        hosting.queue.start(downloads)
        hosting.clock.advance(by: 1)
        #expect(
            hosting.recorder.callbacks == [
                ["maps.north active 0.0", "maps.south active 0.0"], ["maps.north finished 1.0"],
                ["maps.south finished 1.0"],
            ]
        )
        let texts = try downloads.map { try String(contentsOf: #require($0.contentURL), encoding: .utf8) }
        #expect(texts == ["north", "south"])
    }

    @Test func `B111: A paused download stands still and goes on where it was`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.clock.advance(by: 1.5)
        hosting.queue.pause([download])
        #expect(download.state == .paused)
        #expect(download.progress == 0.2)
        hosting.recorder.clear()
        hosting.clock.advance(by: 100)
        #expect(hosting.recorder.history == [])
        hosting.queue.resume([download])
        hosting.clock.advance(by: 4)
        #expect(
            hosting.recorder.history == [
                "level.2 active 0.2", "level.2 active 0.4", "level.2 active 0.6", "level.2 active 0.8",
                "level.2 finished 1.0",
            ]
        )
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `B112: A cancelled download is off the list, and started again it begins anew`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.clock.advance(by: 2)
        hosting.recorder.clear()
        hosting.queue.cancel([download])
        hosting.clock.advance(by: 100)
        #expect(hosting.recorder.history == ["level.2 cancelled 0.0"])
        hosting.queue.start([download])
        hosting.clock.advance(by: 4)
        #expect(download.progress == 0.8)
        hosting.clock.advance(by: 1)
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `B112: A paused and a failed download can be cancelled`() throws {
        let hosting = try Hosting()
        let downloads = hosting.buy("maps")
        hosting.store.failDownload(of: "maps.south", at: .chunk(1), with: .network(.timedOut, "too slow"))
        hosting.queue.start(downloads)
        hosting.queue.pause([downloads[0]])
        #expect(downloads.map(\.state) == [.paused, .failed])
        hosting.queue.cancel(downloads)
        #expect(downloads.map(\.state) == [.cancelled, .cancelled])
        #expect(hosting.log.lines == [])
    }

    @Test func `B113: Only downloads of the queue's unfinished transactions are queued`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        let other = try Hosting()
        let foreign = try other.download()
        let homemade = SKDownload(transaction: SKPaymentTransaction(), contentIdentifier: "homemade")
        hosting.queue.start([foreign, homemade])
        #expect(foreign.state == .waiting)
        try #require(hosting.log.lines.count == 2)
        #expect(hosting.log.lines[0].contains("level.2") && hosting.log.lines[0].contains("no transaction of this"))
        #expect(hosting.log.lines[1].contains("homemade"))

        hosting.queue.finishTransaction(download.transaction)
        hosting.queue.start([download])
        hosting.clock.advance(by: 10)
        #expect(download.state == .waiting)
        try #require(hosting.log.lines.count == 3)
        #expect(hosting.log.lines[2].contains("transaction is finished"))
    }

    @Test func `B113: What is started already is not queued twice, and the log says why`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download, download])
        hosting.queue.pause([download])
        hosting.queue.start([download])
        hosting.queue.resume([download])
        hosting.clock.advance(by: 5)
        hosting.queue.start([download])
        #expect(download.state == .finished)
        try #require(hosting.log.lines.count == 3)
        #expect(hosting.log.lines[0].contains("started already"))
        #expect(hosting.log.lines[1].contains("paused"))
        #expect(hosting.log.lines[2].contains("finished already"))
    }

    @Test func `What cannot be paused, resumed or cancelled stays as it is, and the log says why`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.pause([download])
        hosting.queue.resume([download])
        hosting.queue.cancel([download])
        #expect(download.state == .waiting)
        #expect(hosting.recorder.history == [])
        try #require(hosting.log.lines.count == 3)
        #expect(hosting.log.lines[0].contains("not under way"))
        #expect(hosting.log.lines[1].contains("not paused"))
        #expect(hosting.log.lines[2].contains("not been started"))
    }

    @Test func `B113: The old queue starts nothing after a relaunch`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        let next = hosting.queue.relaunch()
        hosting.queue.start([download])
        next.start([download])
        hosting.clock.advance(by: 10)
        #expect(download.state == .waiting)
        try #require(hosting.log.lines.count == 2)
    }
}
