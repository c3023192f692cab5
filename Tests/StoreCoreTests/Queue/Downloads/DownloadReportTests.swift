import Foundation
import StoreCore
import Testing

/// What a download says of itself on the way.
@Suite struct DownloadReportTests {
    @Test func `B142: A product says what is hosted for it, and its downloads say the same`() throws {
        let hosting = try Hosting()
        let products = RequestRecorder()
        let request = SKProductsRequest(
            productIdentifiers: ["level.2", "maps", "sword"],
            backend: hosting.store,
            delivery: .inline
        )
        request.delegate = products
        request.start()
        let found = Dictionary(
            uniqueKeysWithValues: (products.responses.first?.products ?? []).map { ($0.productIdentifier, $0) }
        )
        #expect(found["level.2"]?.isDownloadable == true)
        #expect(found["level.2"]?.downloadContentLengths == [10])
        #expect(found["level.2"]?.downloadContentVersion == "1.2")
        #expect(found["maps"]?.downloadContentLengths == [5, 5])
        #expect(found["sword"]?.isDownloadable == false)

        let download = try hosting.download()
        #expect(download.contentIdentifier == "level.2")
        #expect(download.contentVersion == "1.2")
        #expect(download.expectedContentLength == 10)
        #expect(download.state == .waiting)
    }

    @Test func `B159: A purchase has the downloads of its product, the same objects each time`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        #expect(download.transaction === hosting.recorder.transactions[0])
        #expect(download.transaction.downloads[0] === download)
        #expect(hosting.buy("sword").isEmpty)
    }

    @Test func `B159: There are no downloads before a purchase is paid for`() throws {
        let hosting = try Hosting()
        hosting.store.authorizer = .always(.later)
        hosting.queue.add(SKPayment(productIdentifier: "level.2"))
        let transaction = try #require(hosting.queue.transactions.first)
        #expect(transaction.transactionState == .purchasing)
        #expect(transaction.downloads.isEmpty)
        try hosting.store.decide(try #require(hosting.store.undecidedRequests.first).transaction, as: .approve)
        #expect(transaction.downloads.count == 1)
    }

    @Test func `B159: A restored transaction has downloads too`() throws {
        let hosting = try Hosting()
        hosting.queue.finishTransaction(try hosting.download().transaction)
        hosting.queue.restoreCompletedTransactions()
        let restored = try #require(hosting.recorder.transactions.last)
        #expect(restored.transactionState == .restored)
        let download = try #require(restored.downloads.first)
        hosting.queue.start([download])
        hosting.clock.advance(by: 5)
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `B194: The time that remains is worked out from what has come, and unknown while nothing has`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        hosting.queue.start([download])
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        hosting.clock.advance(by: 1)
        #expect(download.timeRemaining == 4)
        hosting.clock.advance(by: 2)
        #expect(download.timeRemaining == 2)
        hosting.queue.pause([download])
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        hosting.queue.resume([download])
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        hosting.clock.advance(by: 1)
        #expect(download.timeRemaining == 1)
        hosting.clock.advance(by: 1)
        #expect(download.timeRemaining == 0)
    }

    @Test func `B194: The file is there only once the download has finished`() throws {
        let seen = Locked<[Bool]>([])
        let recorder = DownloadRecorder { _, downloads in
            seen.withLock { $0.append(downloads[0].contentURL != nil) }
        }
        let hosting = try Hosting(pace: .bytesPerSecond(5, inChunksOf: 5), recorder: recorder)
        let download = try hosting.download()
        #expect(download.contentURL == nil)
        hosting.queue.start([download])
        hosting.clock.advance(by: 2)
        #expect(seen.withLock { $0 } == [false, false, true])
        #expect(download.contentURL?.lastPathComponent == "level.2")
        #expect(download.contentURL?.isFileURL == true)
    }

    @Test func `B193: Without a pace all of it comes inside the call that starts it, and is told of in order`() throws {
        let hosting = try Hosting(pace: .atOnce(inChunksOf: 4))
        let download = try hosting.download()
        hosting.queue.start([download])
        #expect(
            hosting.recorder.callbacks == [
                ["level.2 active 0.0"], ["level.2 active 0.4"], ["level.2 active 0.8"], ["level.2 finished 1.0"],
            ]
        )
    }

    @Test func `A hosted file without a byte finishes as an empty file`() throws {
        let hosting = try Hosting()
        try hosting.store.register(.nonConsumable("nothing", price: "0.99").hosting(Data()))
        let download = try #require(hosting.buy("nothing").first)
        hosting.queue.start([download])
        #expect(hosting.recorder.history == ["nothing active 0.0", "nothing finished 1.0"])
        #expect(try Data(contentsOf: #require(download.contentURL)).isEmpty)
    }

    @Test func `B156: Downloads go on without an observer, who finds them as they are`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.queue.remove(hosting.recorder)
        hosting.clock.advance(by: 3)
        #expect(download.progress == 0.6)
        hosting.queue.add(hosting.recorder)
        #expect(hosting.recorder.transactions.last?.downloads.first === download)
        hosting.clock.advance(by: 2)
        #expect(download.state == .finished)
        #expect(hosting.recorder.history.last == "level.2 finished 1.0")
    }

    @Test func `Settling lists the bytes that a download waits for`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        #expect(hosting.queue.settle() == [])
        hosting.queue.start([download])
        #expect(hosting.queue.settle().contains { $0.contains("level.2") })
        hosting.clock.advance(by: 5)
        #expect(hosting.queue.settle() == [])
    }
}
