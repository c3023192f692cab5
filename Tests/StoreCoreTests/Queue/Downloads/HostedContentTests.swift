import Foundation
import StoreCore
import TestSupport
import Testing

/// What can be hosted, and how it is written down.
@Suite(.promptly) struct HostedContentTests {
    private func product(_ content: SandboxProduct.HostedContent) -> SandboxProduct {
        var product = SandboxProduct.nonConsumable("map", price: "0.99")
        product.hostedContent = content
        return product
    }

    @Test(arguments: ["", "1.", "1..2", "v1", "1,0", "١"])
    func `B142: A version that is not integers separated by periods is refused`(version: String) throws {
        let content = SandboxProduct.HostedContent(version: version, files: [.init(Data(count: 1))])
        #expect(throws: CatalogError.self) { try SandboxStore(products: [product(content)]) }
    }

    @Test(arguments: ["0", "1.0", "2025.11.3"])
    func `B142: Integers separated by periods are a version`(version: String) throws {
        let content = SandboxProduct.HostedContent(version: version, files: [.init(Data(count: 1))])
        _ = try SandboxStore(products: [product(content)])
    }

    @Test func `Content without a file, and files of one name, are refused with a sentence`() throws {
        for files: [SandboxProduct.HostedContent.File] in [
            [], [.init(Data()), .init(Data())], [.init(Data()), .init(Data(), identifier: "map")],
            [.init(Data(), identifier: "")],
        ] {
            let error = try #require(throws: CatalogError.self) {
                try SandboxStore(products: [product(.init(files: files))])
            }
            #expect(error.reason.contains("map"))
        }
    }

    @Test func `What cannot be hosted stops the process where it is written`() async throws {
        let version = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProduct.nonConsumable("map", price: "0.99").hosting(Data(), version: "new")
        }
        #expect(String(decoding: version.standardErrorContent, as: UTF8.self).contains("integers separated by periods"))
        let pace = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DownloadPace.bytesPerSecond(0)
        }
        #expect(String(decoding: pace.standardErrorContent, as: UTF8.self).contains("nothing is ever downloaded"))
        let chunk = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DownloadPace.atOnce(inChunksOf: 0)
        }
        #expect(String(decoding: chunk.standardErrorContent, as: UTF8.self).contains("at least one byte"))
    }

    @Test func `Failures in places that no download has stop the process`() async throws {
        let bytes = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try SandboxStore()
            store.failDownload(of: "map", at: .afterBytes(-1), with: .storeKit(.unknown, ""))
        }
        #expect(String(decoding: bytes.standardErrorContent, as: UTF8.self).contains("after -1 bytes"))
        let chunk = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try SandboxStore()
            store.failDownload(of: "map", at: .chunk(0), with: .storeKit(.unknown, ""))
        }
        #expect(String(decoding: chunk.standardErrorContent, as: UTF8.self).contains("counted from 1"))
    }

    @Test func `A file on disk is hosted as it lies there`() throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("hosted-\(UUID())")
        try bytes.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let hosting = try Hosting(pace: .atOnce)
        let file = try SandboxProduct.HostedContent.File(contentsOf: url)
        #expect(file.length == 100_000)
        try hosting.store.register(.nonConsumable("video", price: "0.99").hosting([file]))
        let download = try #require(hosting.buy("video").first)
        hosting.queue.start([download])
        #expect(try Data(contentsOf: #require(download.contentURL)) == bytes)
        // 64 KiB and the rest.
        #expect(hosting.recorder.history.count == 3)
    }

    @Test func `A hosted file that has become shorter or has gone fails the download`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("hosted-\(UUID())")
        try Data(count: 20).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let hosting = try Hosting(pace: .atOnce)
        try hosting.store.register(.nonConsumable("video", price: "0.99").hosting([.init(contentsOf: url)]))
        let download = try #require(hosting.buy("video").first)
        try Data(count: 10).write(to: url)
        hosting.queue.start([download])
        #expect(download.state == .failed)
        try FileManager.default.removeItem(at: url)
        hosting.queue.start([download])
        #expect(download.state == .failed)
        try Data(count: 20).write(to: url)
        hosting.queue.start([download])
        #expect(download.state == .finished)
    }

    @Test func `Only a file can be hosted`() {
        for url in [FileManager.default.temporaryDirectory, URL(fileURLWithPath: "/nothing/here")] {
            #expect(throws: (any Error).self) { try SandboxProduct.HostedContent.File(contentsOf: url) }
        }
    }

    @Test func `A store that continues a ledger hosts what is in it`() throws {
        let ledger = MemoryLedger()
        _ = try SandboxStore(products: Hosting.products, ledger: ledger)
        let store = try SandboxStore(ledger: ledger)
        let recorder = DownloadRecorder()
        let queue = SKPaymentQueue.observed(by: recorder, on: store)
        queue.add(SKPayment(productIdentifier: "level.2"))
        let download = try #require(recorder.downloads.first)
        queue.start([download])
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `What is hosted for a transaction survives being encoded, and older forms have none`() throws {
        let transaction = StoreTransaction(
            identifier: "1",
            payment: StorePayment(productIdentifier: "map"),
            state: .purchased,
            date: Date(timeIntervalSince1970: 0),
            content: [StoreContent(identifier: "map", version: "1.2", length: 5)]
        )
        let coder = JSONEncoder()
        let data = try coder.encode(transaction)
        #expect(try JSONDecoder().decode(StoreTransaction.self, from: data) == transaction)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object["content"] = nil
        let older = try JSONDecoder().decode(
            StoreTransaction.self,
            from: JSONSerialization.data(withJSONObject: object)
        )
        #expect(older.content.isEmpty)
        #expect(older != transaction)
    }
}
