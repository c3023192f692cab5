import Foundation
import StoreCore
import Testing

/// Downloads on several devices, and on one that loses its store.
@Suite struct DownloadDeviceTests {
    @Test func `Each device has a pace of its own, the store's unless it is given one`() throws {
        let hosting = try Hosting(pace: .bytesPerSecond(1, inChunksOf: 1))
        let tablet = try hosting.store.addDevice("tablet", signedInTo: hosting.store.account)
        #expect(tablet.downloadPace == .bytesPerSecond(1, inChunksOf: 1))
        tablet.downloadPace = .bytesPerSecond(10, inChunksOf: 5)
        #expect(hosting.store.device.downloadPace == .bytesPerSecond(1, inChunksOf: 1))

        let onTablet = DownloadRecorder()
        let tabletQueue = SKPaymentQueue.observed(by: onTablet, on: tablet)
        tabletQueue.add(SKPayment(productIdentifier: "level.2"))
        let fast = try #require(onTablet.downloads.first)
        let slow = try hosting.download()
        tabletQueue.start([fast])
        hosting.queue.start([slow])
        hosting.clock.advance(by: 1)
        #expect(fast.state == .finished)
        #expect(slow.progress == 0.1)
        hosting.clock.advance(by: 9)
        #expect(slow.state == .finished)
    }

    @Test func `Out of reach, a download fails at once with an error of the network, on that device alone`() throws {
        let hosting = try Hosting()
        let tablet = try hosting.store.addDevice("tablet", signedInTo: hosting.store.account)
        let onTablet = DownloadRecorder()
        let tabletQueue = SKPaymentQueue.observed(by: onTablet, on: tablet)
        tabletQueue.add(SKPayment(productIdentifier: "level.2"))
        let there = try #require(onTablet.downloads.first)
        let here = try hosting.download()
        tabletQueue.start([there])
        hosting.queue.start([here])
        hosting.clock.advance(by: 1)
        tablet.isReachable = false
        #expect(there.state == .failed)
        #expect(there.trouble == .network(.notConnectedToInternet))
        #expect(there.progress == 0.2)
        tabletQueue.start([there])
        #expect(there.state == .failed)
        hosting.clock.advance(by: 4)
        #expect(here.state == .finished)
        tablet.isReachable = true
        tabletQueue.start([there])
        hosting.clock.advance(by: 4)
        #expect(try Data(contentsOf: #require(there.contentURL)) == Hosting.level)
    }

    @Test func `A store that is out of reach stops the downloads of all devices`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.store.isReachable = false
        #expect(download.trouble == .network(.notConnectedToInternet))
    }

    @Test func `Signing out takes the transaction away, and its downloads with it`() throws {
        let hosting = try Hosting()
        let download = try hosting.download()
        hosting.queue.start([download])
        hosting.clock.advance(by: 1)
        hosting.recorder.clear()
        try hosting.store.device.signOut()
        hosting.clock.advance(by: 100)
        #expect(hosting.recorder.history == ["level.2 cancelled 0.0", "level.2 removed"])
        try hosting.store.device.signIn(to: hosting.store.account)
        let again = try #require(hosting.recorder.downloads.first)
        #expect(again.state == .waiting)
        hosting.queue.start([again])
        hosting.clock.advance(by: 5)
        #expect(again.state == .finished)
    }

    @Test func `A device does not get what is hosted for another's transaction`() throws {
        let hosting = try Hosting()
        let transaction = try #require(try hosting.download().transaction.transactionIdentifier)
        let tablet = try hosting.store.addDevice("tablet", signedInTo: hosting.store.account)
        let request = ContentRequest(
            transaction: transaction,
            productIdentifier: "level.2",
            content: StoreContent(identifier: "level.2", version: "1.2", length: 10),
            limit: 10
        )
        let answers = Locked<[Result<Data, StoreFailure>]>([])
        hosting.store.downloadPace = .atOnce
        for device in [hosting.store.device, tablet] {
            device.fetchContent(request) { answer in answers.withLock { $0.append(answer) } }
        }
        #expect(try answers.withLock { try $0[0].get() } == Hosting.level)
        #expect(throws: StoreFailure.self) { try answers.withLock { try $0[1].get() } }
    }

    @Test(arguments: [-1, 10, 11]) func `Bytes that a file does not have are refused`(offset: Int64) throws {
        let hosting = try Hosting(pace: .atOnce)
        let transaction = try #require(try hosting.download().transaction.transactionIdentifier)
        let request = ContentRequest(
            transaction: transaction,
            productIdentifier: "level.2",
            content: StoreContent(identifier: "level.2", version: "1.2", length: 10),
            offset: offset,
            limit: 10
        )
        let answer = Locked<Result<Data, StoreFailure>?>(nil)
        hosting.store.fetchContent(request) { given in answer.withLock { $0 = given } }
        #expect(throws: StoreFailure.self) { try answer.withLock { try $0?.get() } }
    }
}
