import Foundation
import StoreCore
import Testing

/// Where files lie, and when they go.
@Suite struct DownloadFileTests {
    /// A folder in which nothing but a finished download lies, after others have been spoilt by `body`.
    private func folder(_ hosting: Hosting, _ body: ([SKDownload]) -> Void) throws -> (SKDownload, URL) {
        let downloads = hosting.buy("maps")
        let level = try hosting.download()
        hosting.queue.start(downloads + [level])
        hosting.clock.advance(by: 1)
        body(downloads)
        hosting.clock.advance(by: 100)
        return (level, try #require(Hosting.folder(of: level)))
    }

    @Test func `B112: Of a cancelled download no byte is left`() throws {
        let hosting = try Hosting()
        let (level, folder) = try folder(hosting) { hosting.queue.cancel($0) }
        #expect(Hosting.files(in: folder).count == 1)
        #expect(try Data(contentsOf: #require(level.contentURL)) == Hosting.level)
    }

    @Test func `B159: When its transaction is finished, a download's file is gone and cannot be had again`() throws {
        let hosting = try Hosting()
        let (level, folder) = try folder(hosting) { _ in }
        #expect(Hosting.files(in: folder).count == 3)
        let url = try #require(level.contentURL)
        hosting.queue.finishTransaction(level.transaction)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(level.contentURL == nil)
        #expect(level.transaction.downloads.isEmpty)
        #expect(Hosting.files(in: folder).count == 2)
    }

    @Test func `B159: A file that was moved away before its transaction was finished stays with the app`() throws {
        let hosting = try Hosting(pace: .atOnce)
        let download = try hosting.download()
        hosting.queue.start([download])
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("moved-\(UUID())")
        defer { try? FileManager.default.removeItem(at: place) }
        try FileManager.default.moveItem(at: #require(download.contentURL), to: place)
        hosting.queue.finishTransaction(download.transaction)
        #expect(try Data(contentsOf: place) == Hosting.level)
    }

    @Test func `B159: Finishing a transaction cancels what is under way, before it is told as removed`() throws {
        let hosting = try Hosting()
        let downloads = hosting.buy("maps")
        hosting.queue.start(downloads)
        hosting.clock.advance(by: 1)
        hosting.queue.pause([downloads[1]])
        hosting.recorder.clear()
        hosting.queue.finishTransaction(downloads[0].transaction)
        hosting.clock.advance(by: 100)
        #expect(
            hosting.recorder.callbacks == [["maps.north cancelled 0.0", "maps.south cancelled 0.0"], ["maps removed"]]
        )
        #expect(downloads.map(\.state) == [.cancelled, .cancelled])
    }

    @Test func `B159: Finishing inside the callback that says finished ends the others of the transaction`() throws {
        let recorder = DownloadRecorder { queue, downloads in
            if downloads[0].state == .finished { queue.finishTransaction(downloads[0].transaction) }
        }
        let hosting = try Hosting(pace: .bytesPerSecond(5, inChunksOf: 5), recorder: recorder)
        let downloads = hosting.buy("maps")
        hosting.queue.start([downloads[0]])
        hosting.clock.advance(by: 0.5)
        hosting.queue.start([downloads[1]])
        hosting.clock.advance(by: 100)
        #expect(
            recorder.history == [
                "maps.north active 0.0", "maps.south active 0.0", "maps.north finished 1.0",
                "maps.south cancelled 0.0", "maps removed",
            ]
        )
    }

    @Test func `A queue that is gone leaves no file`() throws {
        var hosting: Hosting? = try Hosting(pace: .atOnce)
        let folder: URL
        do {
            let download = try #require(try hosting?.download())
            hosting?.queue.start([download])
            folder = try #require(Hosting.folder(of: download))
        }
        #expect(FileManager.default.fileExists(atPath: folder.path))
        hosting = nil
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `B154: After a relaunch downloads wait, and the old files are gone`() throws {
        let hosting = try Hosting(pace: .atOnce)
        let download = try hosting.download()
        hosting.queue.start([download])
        let url = try #require(download.contentURL)
        let queue = hosting.queue.relaunch()
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(download.contentURL == nil)
        let recorder = DownloadRecorder()
        queue.add(recorder)
        let again = try #require(recorder.downloads.first)
        #expect(again.state == .waiting)
        queue.start([again])
        #expect(try Data(contentsOf: #require(again.contentURL)) == Hosting.level)
    }

    @Test func `An identifier that no file can be called gives a file all the same`() throws {
        let hosting = try Hosting(pace: .atOnce)
        let names = ["../../up", "..", "a/b", "ümlaut \u{1F5FA}", String(repeating: "x", count: 5000)]
        for (index, name) in names.enumerated() {
            let product = "odd.\(index)"
            try hosting.store.register(
                .nonConsumable(product, price: "0.99").hosting([.init(Hosting.level, identifier: name)])
            )
            let download = try #require(hosting.buy(product).first)
            hosting.queue.start([download])
            #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
            let folder = try #require(Hosting.folder(of: download))
            #expect(folder.lastPathComponent.hasPrefix("downloads-"))
            #expect(Hosting.files(in: folder).count == index + 1)
        }
    }
}
