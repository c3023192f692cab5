import StoreContract
import StoreCore
import StoreKit
import Testing

// A finish is recorded when the call returns, in the store or in the journal, for whoever bought.
@Suite struct FinishTests {
    private static let setups: [(BackendLane, StoreDelivery)] = [
        (.background, .main), (.background, .inline), (.caller, .main), (.caller, .inline),
        (.background, .queue(DispatchQueue(label: "FinishTests"))),
    ]

    @Test(arguments: setups)
    func `A finish is in the store when it returns`(lane: BackendLane, delivery: StoreDelivery) async throws {
        let store = try SandboxStore(products: Shop.products, log: .silent)
        let context = StoreContext(backend: LaneBackend(store, lane), delivery: delivery, log: .silent)
        try await context.run {
            let product = try await Product.products(for: ["coins"])[0]
            for _ in 0..<100 {
                guard case .success(let result) = try await product.purchase() else { throw StoreKitError.unknown }
                let transaction = try result.payloadValue
                #expect(try store.device.unfinished.count == 1)
                await transaction.finish()
                #expect(try store.device.unfinished.isEmpty)
                // Finished already, and the same holds.
                await transaction.finish()
            }
        }
    }

    @Test(arguments: setups)
    func `A finish no store takes is in a journal on return`(lane: BackendLane, delivery: StoreDelivery) async throws {
        let store = try SandboxStore(products: Shop.products, clock: ManualClock(), log: .silent)
        let journal = MemoryJournal()
        let backend = LaneBackend(store, lane)
        let context = StoreContext(backend: backend, journal: journal, delivery: delivery, log: .silent)
        try await context.run {
            let product = try await Product.products(for: ["coins"])[0]
            guard case .success(let result) = try await product.purchase() else { throw StoreKitError.unknown }
            store.isReachable = false
            let transaction = try result.payloadValue
            await transaction.finish()
            #expect(journal.commands.map(\.action) == [.finish(transaction: "\(transaction.id)")])
        }
    }

    @Test func `A finish that neither store nor journal takes ends with its task, or with its queue`() async throws {
        let store = try SandboxStore(products: Shop.products, clock: ManualClock(), log: .silent)
        let journal = BrokenJournal()
        let context = StoreContext(backend: store, journal: journal, delivery: .inline, log: .silent)
        try await context.run {
            let product = try await Product.products(for: ["coins"])[0]
            guard case .success(let result) = try await product.purchase() else { throw StoreKitError.unknown }
            store.isReachable = false
            let canceled = Task.immediate { await result.unsafePayloadValue.finish() }
            let other = Task.immediate { await result.unsafePayloadValue.finish() }
            canceled.cancel()
            await canceled.value
            let queue = SKPaymentQueue.default()
            #expect(queue.transactions.isEmpty)
            // Time alone does not help: it is still to come.
            await queue.settle()
            _ = queue.relaunch()
            await other.value
        }
        #expect(try store.device.unfinished.count == 1)
    }

    @Test(arguments: [StoreDelivery.inline, .main], [false, true])
    func `A finish while the buyer is away is the buyer's`(delivery: StoreDelivery, isSomebody: Bool) async throws {
        let shop = try Shop(delivery)
        let buyer = shop.store.account
        let other = try shop.store.addAccount("other")
        let (first, second) = (try await shop.bought("coins"), try await shop.bought("sword"))
        await shop.context.settle()
        let known = try #require(shop.queue.transactions.last)
        if isSomebody { try shop.store.device.signIn(to: other) } else { try shop.store.device.signOut() }
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        await shop.run { await first.finish() }
        shop.queue.finishTransaction(known)
        shop.queue.finishTransaction(known)
        try shop.store.device.signIn(to: buyer)
        await shop.context.settle()
        #expect(try shop.queue.transactions.isEmpty && shop.store.device.unfinished.isEmpty)
        #expect(second.productID == known.payment.productIdentifier)
    }

    @Test(arguments: [StoreDelivery.inline, .main])
    func `A finish in a canceled task goes on, also while the buyer is away`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let buyer = shop.store.account
        let transaction = try await shop.bought("coins")
        try shop.store.device.signOut()
        await shop.context.settle()
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await shop.run { await transaction.finish() }
        }.value
        try shop.store.device.signIn(to: buyer)
        await shop.context.settle()
        #expect(try shop.queue.transactions.isEmpty && shop.store.device.unfinished.isEmpty)
    }

    @Test
    func `A finish that waits for the store while its buyer is away hides the transaction afterwards`() async throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: Shop.products, clock: clock, log: .silent)
        let injector = FaultInjector(store)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let account = store.account
        let queue = context.run { SKPaymentQueue.default() }
        let observer = FinishingObserver()
        _ = await context.run { await Storefront.current }
        _ = try account.buy("coins")
        let transaction = try #require(queue.transactions.first)
        try store.device.signOut()
        injector.add(.fail(.network(.networkConnectionLost, "lost")), at: .submission)
        queue.finishTransaction(transaction)
        try store.device.signIn(to: account)
        queue.add(observer)
        #expect(observer.told.isEmpty)
        injector.removeAllRules()
        await clock.advance(by: 600)
        #expect(try store.device.unfinished.isEmpty)
    }

    @Test(arguments: [StoreDelivery.inline, .main])
    func `A transaction of a replaced store is finished there`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let bought = try await shop.bought("coins")
        _ = try shop.store.account.buy("sword")
        let read = try await shop.run { await Transaction.all.all() }.map { try $0.payloadValue }
        await shop.context.settle()
        shop.context.use(try SandboxStore(products: Shop.products))
        // Finished on another device meanwhile, or not: the store decides.
        _ = try shop.store.account.buy("season")
        await bought.finish()
        #expect(try shop.store.device.unfinished.map(\.productIdentifier) == ["sword", "season"])
        for transaction in read { await transaction.finish() }
        #expect(try shop.store.device.unfinished.map(\.productIdentifier) == ["season"])
    }

    @Test(arguments: [StoreDelivery.inline, .main])
    func `A purchase whose buyer signs out when told has an unknown outcome`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let leaver = Leaver(shop.store.device)
        shop.queue.add(leaver)
        let error = await #expect(throws: StoreKitError.self) { try await shop.bought("coins") }
        guard case .unknown? = error else { return _ = Issue.record("threw \(String(describing: error))") }
    }
}

/// An observer that signs its user out when it hears of a purchase.
private final class Leaver: NSObject, SKPaymentTransactionObserver {
    private let device: SandboxDevice

    init(_ device: SandboxDevice) { self.device = device }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        if transactions.contains(where: { $0.transactionState == .purchased }) { try? device.signOut() }
    }
}

private final class BrokenJournal: QueueJournal {
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        JournalContents(id: .unique(), commands: [])
    }
    func record(_ commands: [StoreCommand]) throws { throw StoreFailure.storeKit(.unknown, "the disk is full") }
    func forget(_ commands: [OrderID]) throws { throw StoreFailure.storeKit(.unknown, "the disk is full") }
}
