import Dispatch
import StoreCore
import TestSupport
import Testing

/// Observers hear that a transaction was removed once its finish is recorded, on every lane and every delivery.
@Suite struct RemovalTests {
    enum Delivery: CaseIterable { case inline, queue, main }

    /// A store whose ledger can be held up, and a queue on it that has sold one sword.
    private struct Shop {
        let ledger: GatedLedger
        let observer = Recorder()
        let queue: SKPaymentQueue
        let sword: SKPaymentTransaction
        private let store: SandboxStore
        private let delivery: Delivery
        private let deliveries = DispatchQueue(label: "deliveries")

        init(_ lane: BackendLane, _ delivery: Delivery) async throws {
            ledger = GatedLedger(lane: lane)
            store = try SandboxStore(products: World.products, clock: ManualClock(), ledger: ledger)
            self.delivery = delivery
            let place: StoreDelivery =
                switch delivery {
                case .inline: .inline
                case .queue: .queue(deliveries)
                case .main: .main
                }
            queue = SKPaymentQueue(backend: store, delivery: place, log: .silent)
            queue.add(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
            await queue.settle()
            sword = try #require(queue.transactions.first)
            #expect(sword.transactionState == .purchased)
        }

        /// Returns when all callbacks have been made that were due by now.
        func deliver() async {
            switch delivery {
            case .inline: break
            case .queue: await withCheckedContinuation { done in deliveries.async { done.resume() } }
            case .main: await MainActor.run {}
            }
        }

        var removals: Int { observer.history.count { $0 == .removed("sword") } }
    }

    @Test(arguments: Delivery.allCases)
    func `B69, B71: A removal is heard only after the ledger has the finish, on a lane of its own`(
        delivery: Delivery
    ) async throws {
        let shop = try await Shop(.background, delivery)
        shop.ledger.close()
        shop.queue.finishTransaction(shop.sword)
        await shop.deliver()
        #expect(shop.queue.transactions.isEmpty)
        #expect(shop.removals == 0)
        shop.ledger.open()
        await shop.queue.settle()
        #expect(shop.removals == 1)
    }

    @Test(arguments: Delivery.allCases)
    func `B69, B71: A finish behind another thread's purchase is heard removed only after it is recorded`(
        delivery: Delivery
    ) async throws {
        let shop = try await Shop(.caller, delivery)
        shop.ledger.close()
        async let purchase: Void = onThread { [queue = shop.queue] in
            queue.add(SKPayment(productIdentifier: "shield"))
        }
        await onThread { [ledger = shop.ledger] in ledger.waitForArrival() }
        shop.queue.finishTransaction(shop.sword)
        await shop.deliver()
        #expect(shop.queue.transactions.isEmpty)
        #expect(shop.removals == 0)
        shop.ledger.open()
        await purchase
        await shop.queue.settle()
        #expect(shop.removals == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B69, B71: While the store is away a removal is heard once the journal has the finish`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let journal = MemoryJournal()
        let kept = Locked<[Int]>([])
        let observer = Recorder(onRemoval: { _, _ in kept.withLock { $0.append(journal.commands.count) } })
        let queue = await world.observedQueue(observer, journal: journal)
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.settle()
        world.store.isReachable = false
        queue.finishTransaction(try #require(queue.transactions.first))
        await queue.settle()
        #expect(kept.withLock { $0 } == [1])
    }

    @Test(arguments: Conformer.allCases)
    func `B69, B71: A finish that neither store nor journal can keep is not heard removed until the store has it`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let observer = Recorder()
        let queue = await world.observedQueue(observer, journal: FailingJournal([.record]))
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.settle()
        world.store.isReachable = false
        queue.finishTransaction(try #require(queue.transactions.first))
        await queue.settle()
        #expect(queue.transactions.isEmpty)
        #expect(observer.history.last == .updated("sword", .purchased))
        world.store.isReachable = true
        await world.advance(by: 600)
        await queue.settle()
        #expect(observer.history.last == .removed("sword"))
    }
}
