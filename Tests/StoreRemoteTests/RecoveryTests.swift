import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// What holds once something between a device and its store was lost.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct RecoveryTests {
    @Test(arguments: [false, true])
    func `A command that an earlier launch has not heard acknowledged is sent by the next, and charged once`(
        isKnownToStore: Bool
    ) async throws {
        let shop = try RemoteShop()
        let journal = MemoryJournal()
        let command = StoreCommand.purchase(of: "sword", in: journal.open {}.id)
        journal.record([command])
        if isKnownToStore { try await shop.remote().submit([command]) }
        let shopper = Shopper()
        let queue =
            SKPaymentQueue(
                backend: shop.remote().asStoreBackend(),
                journal: journal,
                delivery: .queue(DispatchQueue(label: "callbacks"))
            )
        queue.add(shopper)
        await shopper.wait(for: "sword removed")
        #expect(try shop.store.transactions.count == 1 && shopper.heard.count { $0 == "sword purchased" } == 1)
    }

    @Test func `What is sold at another server is heard at the next sign of life`() async throws {
        let ledger = MemoryLedger()
        let one = try RemoteShop(ledger: ledger)
        // A connection that is silent for three of them is lost, on a slow machine too.
        let two = try RemoteShop(ledger: ledger, token: one.token) { $0.heartbeat = 3 }
        let line = await two.remote().connected()
        try one.store.account.buy("sword")
        await line.receiver.waitForBatches(2)
        #expect(line.receiver.batches[1].updates.count == 1)
    }

    @Test func `What is sold at another server is in the answer to the next request`() async throws {
        let ledger = MemoryLedger()
        let one = try RemoteShop(ledger: ledger)
        let two = try RemoteShop(ledger: ledger, token: one.token)
        let remote = two.remote()
        try await remote.prepare()
        try one.store.account.buy("castle")
        #expect(try await remote.transactions(HistoryQuery(.all)).transactions.count == 1)
    }

    @Test(arguments: [false, true])
    func `A lost decision about a storefront counts as not given, and the store declines`(isLost: Bool) async throws {
        let clock = ManualClock()
        let shop = try RemoteShop(clock: clock)
        let remote = shop.remote()
        let line = await remote.connected()
        try await remote.submit([.purchase(of: "gift", in: line.receiver.journal)])
        await line.receiver.waitForBatches(2)
        let gift = try #require(shop.store.undecidedRequests.first).transaction
        try shop.store.setStorefront("FRA")
        let proxy = try FaultyProxy(to: shop.server.port) { _, _ in .isCut(after: 0) }
        defer { proxy.stop() }
        let sender = isLost ? shop.remote(at: proxy.url) : remote
        await sender.decideAfterStorefrontChange(transaction: gift, shouldContinue: true)
        // More than a store waits for an answer.
        await clock.advance(by: 2)
        #expect(shop.store.undecidedRequests.isEmpty == isLost)
        #expect(try shop.store.transactions.map(\.state) == [isLost ? .failed : .deferred])
    }
}
