// The code of the article "Hosted downloads", compiled and run.
import Foundation
import StoreCore
import Testing

final class Librarian: NSObject, SKPaymentTransactionObserver {
    let shelf: URL
    var seen: [String] = []
    init(shelf: URL) { self.shelf = shelf }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            queue.start(transaction.downloads)
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        for download in downloads {
            seen.append("\(download.state) \(download.progress)")
            guard download.state == .finished, let file = download.contentURL else { continue }
            try? FileManager.default.moveItem(at: file, to: shelf)
            queue.finishTransaction(download.transaction)
        }
    }
}

@Test func `An app downloads what it has bought, at the store's pace`() throws {
    let level = SandboxProduct.nonConsumable("level.2", price: "1.99").hosting(Data("0123456789".utf8), version: "1.2")
    let clock = ManualClock()
    let store = try SandboxStore(products: [level], clock: clock)
    store.downloadPace = .bytesPerSecond(5, inChunksOf: 5)

    let shelf = FileManager.default.temporaryDirectory.appendingPathComponent("shelf-\(UUID())")
    defer { try? FileManager.default.removeItem(at: shelf) }
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let librarian = Librarian(shelf: shelf)
    queue.add(librarian)

    queue.add(SKPayment(productIdentifier: "level.2"))
    #expect(librarian.seen == ["active 0.0"])
    clock.advance(by: 1)
    #expect(librarian.seen == ["active 0.0", "active 0.5"])
    clock.advance(by: 1)
    #expect(librarian.seen == ["active 0.0", "active 0.5", "finished 1.0"])
    #expect(try String(contentsOf: shelf, encoding: .utf8) == "0123456789")
    #expect(queue.transactions.isEmpty)
}

private final class Lines: @unchecked Sendable {  // unchecked: used by one thread
    var kept: [String] = []
}

@Test func `A download that is started twice leaves a line in the log`() throws {
    let level = SandboxProduct.nonConsumable("level.2", price: "1.99").hosting(Data("0123456789".utf8))
    let store = try SandboxStore(products: [level])
    store.downloadPace = .bytesPerSecond(5)
    let kept = Lines()
    var lines: [String] { kept.kept }
    let queue = SKPaymentQueue(backend: store, delivery: .inline, log: StoreLog { kept.kept.append($0) })
    let reader = ReadsNothing()
    queue.add(reader)
    queue.add(SKPayment(productIdentifier: "level.2"))
    let download = try #require(queue.transactions.first?.downloads.first)

    queue.start([download])
    queue.start([download])
    #expect(lines.count == 1)
}

@Test func `A download fails on demand and goes on`() throws {
    let level = SandboxProduct.nonConsumable("level.2", price: "1.99").hosting(Data("0123456789".utf8))
    let store = try SandboxStore(products: [level])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let reader = ReadsNothing()
    queue.add(reader)
    queue.add(SKPayment(productIdentifier: "level.2"))
    let download = try #require(queue.transactions.first?.downloads.first)

    store.failDownload(of: "level.2", at: .afterBytes(3), with: .network(.timedOut, "a slow night"))
    queue.start([download])
    #expect(download.state == .failed)
    #expect((download.error as? URLError)?.code == .timedOut)
    #expect(download.progress == 0.3)

    queue.start([download])
    #expect(download.state == .finished)
}

private final class ReadsNothing: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}

/// What an app already has to talk to its server, here without one.
private struct FileServer: Sendable {
    let files: [String: Data]
    func bytes(of path: String, from offset: Int64, atMost limit: Int) async throws -> Data {
        guard let file = files[path] else { throw URLError(.fileDoesNotExist) }
        return Data(file.dropFirst(Int(offset)).prefix(limit))
    }
}

private struct HostingStore: AsyncStoreBackend, AsyncContentService {
    let server: FileServer
    // Of its own: whoever settles by the system's clock does not wait for this store.
    let clock: any StoreClock = ManualClock()

    func submit(_ commands: [StoreCommand]) async throws {}

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        let sale = StoreTransaction(
            identifier: "1",
            payment: StorePayment(productIdentifier: "level.2"),
            state: .purchased,
            date: clock.now,
            content: [StoreContent(identifier: "level.2", version: "1.2", length: 10)]
        )
        feed.send(
            UpdateBatch(after: nil, through: UpdateCursor(position: 1), updates: [.transaction(sale)])
        )
        // Nothing more comes; the connection stays open until it is cancelled.
        for await _ in AsyncStream(Never.self, { _ in }) {}
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }

    func content(_ request: ContentRequest) async throws -> Data {
        let path = "content/\(request.content.identifier)/\(request.content.version)"
        return try await server.bytes(of: path, from: request.offset, atMost: request.limit)
    }
}

@Test func `A store of one's own hosts files`() async throws {
    let server = FileServer(files: ["content/level.2/1.2": Data("0123456789".utf8)])
    let queue = SKPaymentQueue(backend: HostingStore(server: server).asStoreBackend(), delivery: .inline)
    let reader = ReadsNothing()
    queue.add(reader)
    await queue.settle()
    let download = try #require(queue.transactions.first?.downloads.first)
    queue.start([download])
    await queue.settle()
    #expect(try String(contentsOf: #require(download.contentURL), encoding: .utf8) == "0123456789")
}

@Test func `Several hosted files have an identifier each`() throws {
    let pack = SandboxProduct.nonConsumable("pack", price: "3.99").hosting([
        .init(Data("a map".utf8), identifier: "pack.map"), .init(Data("a song".utf8), identifier: "pack.music"),
    ])
    let store = try SandboxStore(products: [pack])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let reader = ReadsNothing()
    queue.add(reader)
    queue.add(SKPayment(productIdentifier: "pack"))
    let downloads = try #require(queue.transactions.first?.downloads)
    #expect(downloads.map(\.contentIdentifier) == ["pack.map", "pack.music"])
}
