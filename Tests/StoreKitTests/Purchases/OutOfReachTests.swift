import StoreContract
import StoreCore
import StoreKit
import Testing

@Suite struct OutOfReachTests {
    private func isOffline(_ body: () async throws -> some Sendable) async -> Bool {
        do { _ = try await body() } catch StoreKitError.networkError(let error) {
            return error.code == .notConnectedToInternet
        } catch {}
        return false
    }

    @Test(arguments: Shop.deliveries, [true, false])
    func `A purchase fails, and nothing is bought later`(delivery: StoreDelivery, ofDeviceAlone: Bool) async throws {
        let shop = try Shop(delivery)
        let observer = FinishingObserver()
        shop.queue.add(observer)
        let coins = try #require(try await shop.run { try await Product.products(for: ["coins"]) }.first)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        func setReachable(_ isReachable: Bool) {
            if ofDeviceAlone {
                shop.store.device.isReachable = isReachable
            } else {
                shop.store.isReachable = isReachable
            }
        }
        setReachable(false)
        #expect(await isOffline { try await shop.run { try await coins.purchase() } })
        #expect(await isOffline { try await shop.run { try await coins.purchase() } })
        setReachable(true)
        shop.store.advance(by: 3600)
        await shop.context.settle()
        #expect(try shop.charged == 0 && observer.told.isEmpty)
        guard case .success(let result) = try await shop.run({ try await coins.purchase() })
        else { return _ = Issue.record("it was not bought") }
        #expect(try shop.charged == Decimal(string: "0.99"))
        // What an observer finishes is no update.
        shop.queue.remove(observer)
        let later = try shop.store.account.buy("season")
        #expect(try #require(await shop.run { await updates.next() }).unsafePayloadValue.id == UInt64(later))
        await result.unsafePayloadValue.finish()
    }

    @Test func `A purchase that waits for nothing that comes by itself says so in one line`() async throws {
        let (lines, log) = AsyncStream<String>.makeStream()
        let injector = try FaultInjector(SandboxStore(products: Shop.products))
        injector.add(.fail(.network(.timedOut, "a slow night")), at: .submission, when: .purchases)
        let context = StoreContext(backend: injector, delivery: .inline, log: StoreLog { log.yield($0) })
        context.patience = 0.01
        let purchase = context.run { Task { try await Product.products(for: ["coins"]).first?.purchase() } }
        var told = lines.makeAsyncIterator()
        let line = try #require(await told.next())
        #expect(line.contains("the purchase of coins still waits"))
        // What settle() lists.
        for waiting in await context.settle() { #expect(line.contains(waiting)) }
        purchase.cancel()
        await #expect(throws: CancellationError.self) { try await purchase.value }
    }

    @Test func `A purchase that ends says nothing`() async throws {
        let lines = Locked<[String]>([])
        let store = try SandboxStore(products: Shop.products)
        let log = StoreLog { line in lines.withLock { $0.append(line) } }
        let context = StoreContext(backend: store, delivery: .inline, log: log)
        context.patience = 0
        try await context.run {
            for _ in 0..<50 { _ = try await Product.products(for: ["coins"]).first?.purchase() }
        }
        #expect(lines.withLock { $0 }.isEmpty)
    }
}
