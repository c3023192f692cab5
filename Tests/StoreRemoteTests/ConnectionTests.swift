import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Connections that are lost, fall silent or are let go of.
@Suite(
    "Connections that are lost or kept, which shows after three heartbeats of real time",
    .fewAtATime,
    .server,
    .timeLimit(.minutes(20))
)
struct ConnectionTests {
    @Test func `A connection on which nothing comes any more is lost after three heartbeats`() async throws {
        let shop = try RemoteShop { $0.heartbeat = 0.05 }
        let proxy = try FaultyProxy(to: shop.server.port) { _, number in
            number == 1 ? .passes : .fallsSilent(after: 600)
        }
        defer { proxy.stop() }
        let remote = shop.remote(at: proxy.url)
        try await remote.prepare()
        #expect(await remote.loss().code == URLError.Code.timedOut.rawValue)
    }

    @Test func `Signs of life keep a connection that has nothing to say`() async throws {
        // Long enough that no pause of a busy machine is three of them.
        let shop = try RemoteShop { $0.heartbeat = 4 }
        let line = await shop.remote().connected()
        // Another connection has been silent for three of them, and was lost: this one was not.
        let proxy = try FaultyProxy(to: shop.server.port) { _, number in
            number == 1 ? .passes : .fallsSilent(after: 600)
        }
        defer { proxy.stop() }
        let other = shop.remote(at: proxy.url)
        try await other.prepare()
        #expect(await other.loss().code == URLError.Code.timedOut.rawValue)
        #expect(line.receiver.losses.isEmpty)
    }

    @Test func `A request whose connection breaks under it is made again on another`() async throws {
        let shop = try RemoteShop()
        // The second request, after the greeting, breaks the first connection.
        let proxy = try FaultyProxy(to: shop.server.port) { _, number in number == 1 ? .isCut(after: 600) : .passes }
        defer { proxy.stop() }
        let remote = shop.remote(at: proxy.url)
        try await remote.prepare()
        #expect(try await remote.products(["sword"]).products.map(\.identifier) == ["sword"])
        #expect(proxy.cuts == 1)
    }

    @Test func `What may have had its effect is not requested again on another connection`() async throws {
        let shop = try RemoteShop()
        let proxy = try FaultyProxy(to: shop.server.port) { _, number in number == 1 ? .isCut(after: 600) : .passes }
        defer { proxy.stop() }
        let remote = shop.remote(at: proxy.url)
        try await remote.prepare()
        let failure = await #expect(throws: StoreFailure.self) { try await remote.refreshReceipt(ReceiptProperties()) }
        #expect(failure?.code == URLError.Code.networkConnectionLost.rawValue)
        #expect(proxy.cuts == 1)
    }

    @Test func `A notification whose connection breaks under it counts as broken off at once`() async throws {
        let shop = try RemoteShop()
        let proxy = try FaultyProxy(to: shop.server.port) { _, number in number == 1 ? .isCut(after: 420) : .passes }
        defer { proxy.stop() }
        let transport = URLSessionTransport(timeout: 600)
        var results: [SendAttemptResult] = []
        for _ in 1...3 {
            results += [
                await withCheckedContinuation { reply in
                    transport.post(Data("{}".utf8), to: proxy.url) { result, _ in reply.resume(returning: result) }
                }
            ]
        }
        #expect(results == [.unsuccessfulStatus, .prematureClose, .unsuccessfulStatus])
        #expect(proxy.cuts == 1)
    }

    @Test func `A queue that goes on from its cursor hears what it has missed, and only that`() async throws {
        let shop = try RemoteShop()
        let proxy = try FaultyProxy(to: shop.server.port)
        defer { proxy.stop() }
        let line = await shop.remote(at: proxy.url).connected()
        proxy.cut()
        await line.receiver.waitForLoss()
        try shop.store.account.buy("sword")
        line.backend.connect(line.receiver, after: line.receiver.batches[0].through)
        await line.receiver.waitForBatches(2)
        let batches = line.receiver.batches
        #expect(batches[1].after == batches[0].through && batches[1].updates.count == 1)
    }

    @Test func `Among as many as there may be, a stream takes the place of one for the same journal`() async throws {
        let shop = try RemoteShop { $0.maximumStreamsPerToken = 1 }
        let one = shop.remote().asStoreBackend()
        let two = shop.remote().asStoreBackend()
        let journal = JournalID.unique()
        let (first, second) = (Receiver(journal: journal), Receiver(journal: journal))
        one.connect(first, after: nil)
        await first.waitForBatches(1)
        two.connect(second, after: nil)
        await second.waitForBatches(1)
        await first.waitForLoss()
        let third = Receiver()
        one.connect(third, after: nil)
        await third.waitForLoss()
        #expect(third.losses[0].reason.contains("too many queues"))
    }

    @Test func `A server that stops ends its streams`() async throws {
        let shop = try RemoteShop()
        let line = await shop.remote().connected()
        shop.server.stop()
        await line.receiver.waitForLoss()
    }

    @Test func `A request of a task that is canceled fails as canceled`() async throws {
        let shop = try RemoteShop()
        let remote = shop.remote()
        try await remote.prepare()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await remote.synchronize()
        }
        let failure = await #expect(throws: StoreFailure.self) { try await task.value }
        #expect(failure?.code == URLError.Code.cancelled.rawValue)
    }

    @Test func `A remote store that is let go of leaves nothing`() async throws {
        let shop = try RemoteShop()
        weak var remote: RemoteStore?
        weak var receiver: Receiver?
        try await {
            let store = shop.remote()
            let end = Receiver()
            (remote, receiver) = (store, end)
            let backend = store.asStoreBackend()
            backend.connect(end, after: nil)
            await end.waitForBatches(1)
            backend.disconnect(end)
            try await store.prepare()
        }()
        // What ends on other threads ends once the sockets are closed; the suite's time limit cancels the task.
        shop.server.stop()
        while remote != nil || receiver != nil, !Task.isCancelled { await Task.yield() }
        #expect(remote == nil)
        #expect(receiver == nil)
    }
}
