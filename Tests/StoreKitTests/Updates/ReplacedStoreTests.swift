import StoreContract
import StoreCore
import StoreKit
import Testing

// Values of a store that the context does not have any more.
@Suite struct ReplacedStoreTests {
    @Test func `Finishing a transaction of a replaced store leaves another's of the same identifier`() async throws {
        let shop = try Shop(.inline)
        let transaction = try await shop.bought("coins")
        let other = try SandboxStore(products: Shop.products)
        #expect(try other.account.buy("sword") == String(transaction.id))
        shop.context.use(other)
        await shop.run { await transaction.finish() }
        #expect(try other.device.unfinished.map(\.productIdentifier) == ["sword"])
        let own = try #require(await shop.run { await Transaction.unfinished.first(1) }.first)
        await own.unsafePayloadValue.finish()
        #expect(try other.device.unfinished.isEmpty)
    }

    @Test func `A finish that waits for its transaction ends with the store`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let injector = FaultInjector(store)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let identifier = try store.account.buy("coins")
        // The queue does not hear of it yet.
        injector.add(.hold, at: .update)
        let transaction = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        let finish = Task.immediate { await transaction.unsafePayloadValue.finish() }
        let other = try SandboxStore(products: Shop.products)
        #expect(try other.account.buy("sword") == identifier)
        context.use(other)
        await finish.value
        #expect(try other.device.unfinished.map(\.productIdentifier) == ["sword"])
    }

    @Test func `A store that comes back finishes its own transactions`() async throws {
        let shop = try Shop(.inline)
        let transaction = try await shop.bought("coins")
        shop.context.use(try SandboxStore(products: Shop.products))
        shop.context.use(shop.store)
        await shop.run { await transaction.finish() }
        #expect(try shop.store.device.unfinished.isEmpty)
    }

    @Test func `What was read of a replaced store and not taken is not returned`() async throws {
        let shop = try Shop(.inline)
        for _ in 1...3 { _ = try shop.store.account.buy("coins") }
        var (all, updates) = shop.context.run {
            (Transaction.all.makeAsyncIterator(), Transaction.updates.makeAsyncIterator())
        }
        #expect(await all.next()?.unsafePayloadValue.productID == "coins")
        #expect(await updates.next()?.unsafePayloadValue.productID == "coins")
        let other = try SandboxStore(products: Shop.products)
        _ = try other.account.buy("sword")
        shop.context.use(other)
        #expect(await all.next() == nil)
        #expect(await updates.next()?.unsafePayloadValue.productID == "sword")
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase whose store is replaced then returns nothing of the other`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let other = try SandboxStore(products: Shop.products)
        #expect(try other.account.buy("sword") == "1")
        let replacer = StoreReplacer(shop.context, other)
        shop.queue.add(replacer)
        let error = await #expect(throws: StoreKitError.self) { try await shop.bought("coins") }
        guard case .unknown? = error else { return _ = Issue.record("threw \(String(describing: error))") }
        #expect(try other.device.unfinished.map(\.productIdentifier) == ["sword"])
    }
}

/// An observer that gives its context another store when it hears of a purchase.
private final class StoreReplacer: NSObject, SKPaymentTransactionObserver {
    private let context: StoreContext
    private let other: SandboxStore

    init(_ context: StoreContext, _ other: SandboxStore) { (self.context, self.other) = (context, other) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        if context.backend !== other, transactions.contains(where: { $0.transactionState == .purchased }) {
            context.use(other)
        }
    }
}
