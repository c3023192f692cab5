import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

/// Downloads from stores that answer elsewhere, and callbacks that are made elsewhere.
@Suite struct DownloadLaneTests {
    @Test func `A store behind a network sends its bytes from tasks, and settling waits for them`() async throws {
        let hosting = try Hosting(pace: .atOnce(inChunksOf: 4)) { SandboxOnTasks($0) }
        await hosting.queue.settle()
        hosting.queue.add(SKPayment(productIdentifier: "level.2"))
        await hosting.queue.settle()
        let download = try #require(hosting.recorder.downloads.first)
        hosting.recorder.clear()
        hosting.queue.start([download])
        await hosting.queue.settle()
        #expect(
            hosting.recorder.callbacks == [
                ["level.2 active 0.0"], ["level.2 active 0.4"], ["level.2 active 0.8"], ["level.2 finished 1.0"],
            ]
        )
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `Downloads are told of where the queue makes its callbacks, and change just before`() async throws {
        let place = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        place.setSpecific(key: key, value: true)
        let isThere = Locked<[Bool]>([])
        let recorder = DownloadRecorder { _, _ in
            isThere.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        let store = try SandboxStore(products: Hosting.products)
        let queue = SKPaymentQueue(backend: store, delivery: .queue(place), log: .silent)
        queue.add(recorder)
        await queue.buy("level.2")
        let download = try #require(recorder.downloads.first)
        place.suspend()
        queue.start([download])
        #expect(download.state == .waiting)
        place.resume()
        await queue.settle()
        #expect(download.state == .finished)
        #expect(isThere.withLock { $0 } == [true, true])
        #expect(recorder.history.suffix(2) == ["level.2 active 0.0", "level.2 finished 1.0"])
    }

    @Test func `Every callback about downloads runs in its queue's context`() throws {
        let seen = Locked<[Bool]>([])
        let recorder = DownloadRecorder { queue, _ in
            seen.withLock { $0.append(SKPaymentQueue.default() === queue) }
        }
        let hosting = try Hosting(pace: .atOnce, recorder: recorder)
        hosting.queue.start([try hosting.download()])
        #expect(seen.withLock { $0 } == [true, true])
    }

    @Test func `Whatever threads do to one download, it ends whole or not at all`() async throws {
        let hosting = try Hosting(pace: .atOnce(inChunksOf: 1))
        let download = try hosting.download()
        let queue = hosting.queue
        await onThreads(4) { index in
            for _ in 0..<50 {
                switch index {
                case 0: queue.start([download])
                case 1: queue.pause([download])
                case 2: queue.resume([download])
                default: queue.cancel([download])
                }
            }
        }
        await queue.settle()
        let legal = Set(["active", "paused", "cancelled", "finished"])
        #expect(hosting.recorder.history.allSatisfy { legal.contains(String($0.split(separator: " ")[1])) })
        if download.state == .paused { queue.resume([download]) }
        if download.state == .cancelled { queue.start([download]) }
        await queue.settle()
        #expect(download.state == .finished)
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `What one thread finishes while another downloads it is told of nothing afterwards`() async throws {
        for _ in 0..<20 {
            let hosting = try Hosting(pace: .atOnce(inChunksOf: 1))
            let download = try hosting.download()
            let queue = hosting.queue
            await onThreads(3) { index in
                switch index {
                case 0: queue.start(download.transaction.downloads)
                case 1: queue.finishTransaction(download.transaction)
                default: _ = download.transaction.downloads
                }
            }
            await queue.settle()
            #expect(hosting.recorder.history.last == "level.2 removed")
            #expect(download.contentURL == nil)
            #expect(download.transaction.downloads.isEmpty)
        }
    }

    @Test func `A download from a store that hosts nothing fails with a reason`() throws {
        let backend = ScriptedBackend()
        let queue = SKPaymentQueue(backend: backend, delivery: .inline)
        let recorder = Recorder()
        queue.add(recorder)
        let sale = StoreTransaction(
            identifier: "1",
            payment: StorePayment(productIdentifier: "map"),
            state: .purchased,
            date: backend.clock.now,
            content: [StoreContent(identifier: "map", length: 5)]
        )
        backend.send(after: nil, through: UpdateCursor(position: 1), .transaction(sale))
        let download = try #require(queue.transactions.first?.downloads.first)
        queue.start([download])
        #expect(download.state == .failed)
        let error = try #require(download.error as? SKError)
        #expect(error.code == .unknown && StoreFailure(error).reason.contains("hosts nothing"))
    }
}
