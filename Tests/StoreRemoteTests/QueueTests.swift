import Foundation
import StoreContract
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// An app's queue over a store elsewhere, from the purchase to the restore.
@Suite(.fewAtATime, .server) struct QueueTests {
    private func queue(_ backend: any StoreBackend, _ shopper: Shopper, _ journal: MemoryJournal) -> SKPaymentQueue {
        let queue = SKPaymentQueue(
            backend: backend,
            journal: journal,
            delivery: .queue(DispatchQueue(label: "callbacks"))
        )
        queue.add(shopper)
        return queue
    }

    @Test func `An app buys, has a purchase approved later, relaunches and restores`() async throws {
        let shop = try RemoteShop()
        let journal = MemoryJournal()
        var shopper = Shopper()
        var queue = queue(shop.remote().asStoreBackend(), shopper, journal)
        queue.add(SKPayment(productIdentifier: "castle"))
        await shopper.wait(for: "castle removed")
        queue.add(SKPayment(productIdentifier: "gift"))
        await shopper.wait(for: "gift deferred")
        let gift = try #require(try shop.store.transactions.last?.id)
        try shop.store.decide(gift, as: .approve)
        await shopper.wait(for: "gift removed")
        queue.add(SKPayment(productIdentifier: "dragon"))
        await shopper.wait(for: "dragon removed")
        #expect(shopper.heard.contains("dragon failed"))
        // The next launch is a process of its own.
        queue.remove(shopper)
        shopper = Shopper()
        queue = self.queue(shop.remote().asStoreBackend(), shopper, journal)
        queue.restoreCompletedTransactions()
        await shopper.wait(for: "restored all")
        #expect(shopper.heard.contains("castle restored"))
        let sold = try shop.store.transactions.filter { $0.origin == .purchase && $0.state == .purchased }
        #expect(sold.map(\.productIdentifier) == ["castle", "gift"])
    }

    @Test func `What an app has not finished comes again at its next launch`() async throws {
        let shop = try RemoteShop()
        let lazy = Shopper(finishes: false)
        let first = queue(shop.remote().asStoreBackend(), lazy, MemoryJournal())
        first.add(SKPayment(productIdentifier: "sword"))
        await lazy.wait(for: "sword purchased")
        let shopper = Shopper()
        let second = queue(shop.remote().asStoreBackend(), shopper, MemoryJournal())
        await shopper.wait(for: "sword removed")
        withExtendedLifetime((first, second)) {}
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Each purchase is charged, told and finished once over a network with faults`(seed: UInt64) async throws {
        let shop = try RemoteShop { $0.heartbeat = 0.2 }
        let proxy = try FaultyProxy(to: shop.server.port, seed: seed) { random, number in
            // Every third connection is in order, so that it ends.
            if number % 3 == 0 { return .passes }
            return switch Int.random(in: 0..<3, using: &random) {
            case 0: .isCut(after: .random(in: 0...6_000, using: &random))
            case 1: .fallsSilent(after: .random(in: 0...6_000, using: &random))
            default: .isSlow(milliseconds: .random(in: 1...20, using: &random))
            }
        }
        defer { proxy.stop() }
        let remote = shop.remote(at: proxy.url) { configuration in
            configuration.clock = HastyClock()
            configuration.timeout = 1
        }
        let shopper = Shopper()
        let journal = MemoryJournal()
        let queue = queue(remote.asStoreBackend(), shopper, journal)
        let count = 12
        for _ in 0..<count { queue.add(SKPayment(productIdentifier: "sword")) }
        await shopper.wait(for: "sword removed", times: count)
        #expect(try shop.store.transactions.count == count, "seed \(seed)")
        #expect(shopper.heard.count { $0 == "sword purchased" } == count, "seed \(seed)")
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Each purchase is charged, told and finished once, whatever an injector does`(seed: UInt64) async throws {
        let shop = try RemoteShop()
        let remote = shop.remote { $0.clock = HastyClock() }
        let injector = FaultInjector(remote.asStoreBackend(), seed: seed, timeout: 10)
        let faults: [FaultInjector.Fault] = [
            .drop, .delay(5), .duplicate, .echo(after: 20), .reorder, .cut, .loseAnswer,
        ]
        for point in [FaultInjector.Point.submission, .reply, .connection, .update] {
            for fault in faults { injector.add(fault, at: point, when: .chance(0.05), times: 3) }
        }
        let shopper = Shopper()
        let queue = queue(injector, shopper, MemoryJournal())
        let count = 20
        for number in 1...count {
            queue.add(SKPayment(productIdentifier: "sword"))
            await shopper.wait(for: "sword removed", times: number)
        }
        let log = injector.log.joined(separator: "\n")
        #expect(try shop.store.transactions.count == count, "seed \(seed): \(log)")
        #expect(shopper.heard.count { $0 == "sword purchased" } == count, "seed \(seed): \(log)")
    }
}
