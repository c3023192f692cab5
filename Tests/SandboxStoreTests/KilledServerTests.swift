import Foundation
import StoreCore
import StoreCrypto
import StoreRemote
import StoreSQLite
import StoreServer
import TestSupport
import Testing

@testable import sandbox_store

/// A server that is ended by `kill -9` while a device elsewhere buys.
@Suite(
    .fewAtATime,
    .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"),
    .timeLimit(.minutes(20))
)
@MainActor struct KilledServerTests {
    @Test func `Each purchase under way is charged and told once by the server that comes after`() async throws {
        let directory = try Directory()
        let path = { (name: String) in directory.url.appending(path: name).path(percentEncoded: false) }
        let store = path("shop.sqlite")
        #expect(Run("--store", store, "init", SandboxStoreTool.demoFile.path).code == 0)
        let text = Run("--store", store, "token", "device").output.trimmingCharacters(in: .newlines)
        let token = try #require(DeviceToken(text))
        // A port that no connection gets between the two servers.
        let port = "\(try ServerUnderTest.freePort())"
        let first = try Service(["--store", store, "--ca", path("keys"), "--port", port], in: directory)
        let url = try first.url
        let remote = RemoteStore(url: url, token: token)
        let (heard, hears) = AsyncStream.makeStream(of: String.self)
        let buyer = Buyer(hears)
        let queue = SKPaymentQueue(
            backend: remote.asStoreBackend(),
            delivery: .queue(DispatchQueue(label: "callbacks")),
            log: .silent
        )
        queue.add(buyer)
        let count = 20
        for _ in 0..<count { queue.add(SKPayment(productIdentifier: "consumable")) }
        var lines: [String] = []
        var second: Service?
        for await line in heard {
            lines.append(line)
            if second == nil {
                #expect(first.end(SIGKILL) == -1)
                second = try Service(["--store", store, "--ca", path("keys"), "--port", port], in: directory)
            }
            if lines.count(where: { $0 == "removed" }) == count { break }
        }
        #expect(lines.count(where: { $0 == "purchased" }) == count)
        #expect(second?.end(SIGTERM) == 0)
        let sold = Run("--store", store, "transactions").output.split(separator: "\n")
        #expect(sold.count(where: { $0.contains("consumable") }) == count)
    }
}

private final class Buyer: NSObject, SKPaymentTransactionObserver, Sendable {
    private let hears: AsyncStream<String>.Continuation

    init(_ hears: AsyncStream<String>.Continuation) { self.hears = hears }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            hears.yield("purchased")
            queue.finishTransaction(transaction)
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for _ in transactions { hears.yield("removed") }
    }
}
