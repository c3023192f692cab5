import Foundation
import StoreContract
import StoreCore
import Testing

/// What can be done to a download's bytes on their way.
@Suite struct DownloadPointTests {
    private let clock = ManualClock()
    private let injector: FaultInjector
    private let queue: SKPaymentQueue
    private let watcher = Watcher()
    private static let bytes = Data("0123456789".utf8)

    init() throws {
        let store =
            try SandboxStore(products: [.nonConsumable("level.2", price: "1.99").hosting(Self.bytes)], clock: clock)
        store.downloadPace = .atOnce(inChunksOf: 4)
        injector = FaultInjector(store)
        queue = SKPaymentQueue(backend: injector, delivery: .inline, log: .silent)
        queue.add(watcher)
        queue.add(SKPayment(productIdentifier: "level.2"))
    }

    private func start() throws -> SKDownload {
        let download = try #require(queue.transactions.first?.downloads.first)
        queue.start([download])
        return download
    }

    @Test(arguments: [
        StoreFailure.network(.cannotConnectToHost, "no host"), .storeKit(.cloudServiceRevoked, "revoked"),
    ])
    func `B194: Any error in the place of the n-th chunk fails the download there`(failure: StoreFailure) throws {
        injector.add(.fail(failure), at: .downloadChunk, when: .call(2))
        let download = try start()
        #expect(watcher.history == ["active 0.0", "active 0.4", "failed 0.4"])
        let error = try #require(download.error)
        switch failure.domain {
        case .network: #expect((error as? URLError)?.code == .cannotConnectToHost)
        case .storeKit: #expect((error as? SKError)?.code == .cloudServiceRevoked)
        }
        queue.start([download])
        #expect(try Data(contentsOf: #require(download.contentURL)) == Self.bytes)
    }

    @Test(arguments: [FaultInjector.Point.downloadRequest, .downloadChunk])
    func `A loss shows as a timeout`(point: FaultInjector.Point) throws {
        injector.add(.drop, at: point, times: 1)
        let download = try start()
        #expect(download.state == .active)
        clock.advance(by: 60)
        #expect(download.state == .failed && (download.error as? URLError)?.code == .timedOut)
        #expect(injector.log.count == 1)
        #expect(injector.log[0].contains("level.2 from 0") || injector.log[0].contains("4 bytes of level.2"))
    }

    @Test(arguments: [FaultInjector.Fault.duplicate, .echo(after: 1)])
    func `Bytes that come twice are written once`(fault: FaultInjector.Fault) throws {
        injector.add(fault, at: .downloadChunk, when: .product("level.2"))
        let download = try start()
        clock.advance(by: 10)
        #expect(watcher.history == ["active 0.0", "active 0.4", "active 0.8", "finished 1.0"])
        #expect(try Data(contentsOf: #require(download.contentURL)) == Self.bytes)
    }

    @Test func `A chunk that is held keeps the download where it is`() throws {
        let transaction = try #require(queue.transactions.first?.transactionIdentifier)
        injector.add(.hold, at: .downloadChunk, when: .transaction(transaction) && .call(1))
        let download = try start()
        #expect(download.progress == 0)
        injector.releaseAll()
        #expect(download.state == .finished)
    }
}

private final class Watcher: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: what is kept is behind the lock.
    private let kept = Locked<[String]>([])
    var history: [String] { kept.withLock { $0 } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        kept.withLock { $0 += downloads.map { "\($0.state) \($0.progress)" } }
    }
}
