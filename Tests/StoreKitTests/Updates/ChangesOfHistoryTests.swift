import StoreContract
import StoreCore
import StoreKit
import Testing

// What subscribers hear of a history that changed before they came, elsewhere, or in another store.
@Suite struct ChangesOfHistoryTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    @Test func `A refund while nobody listens is told to the next subscriber`() async throws {
        let transaction = try await shop.finished("coins")
        // A first subscriber, who leaves.
        shop.context.run { _ = Transaction.updates.makeAsyncIterator() }
        try shop.store.refund(String(transaction.id))
        let updates = await shop.run { await Transaction.updates.first(1) }
        #expect(updates.map(\.unsafePayloadValue.id) == [transaction.id])
        #expect(updates.first?.unsafePayloadValue.revocationDate != nil)
    }

    @Test func `A transaction that is refunded before it is taken is told once`() async throws {
        shop.context.run { _ = Transaction.updates.makeAsyncIterator() }
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let refunded = try shop.store.account.buy("sword")
        try shop.store.refund(refunded)
        let later = try shop.store.account.buy("coins")
        let told = [try #require(await iterator.next()), try #require(await iterator.next())]
        #expect(told.map { String($0.unsafePayloadValue.id) } == [refunded, later])
        #expect(told.first?.unsafePayloadValue.revocationDate != nil)
    }

    @Test func `A refund that cannot be read is told once the store answers again`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let flaky = FlakyStore(store)
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        let identifier = try store.account.buy("sword")
        var iterator = context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try #require(await iterator.next()).unsafePayloadValue.revocationDate == nil)
        flaky.fails = true
        try store.refund(identifier)
        flaky.fails = false
        store.advance(by: 1)
        #expect(try #require(await iterator.next()).unsafePayloadValue.revocationDate != nil)
    }

    @Test func `A finish waits for a store that cannot say what is unfinished`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let flaky = FlakyStore(store)
        let injector = FaultInjector(flaky)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let identifier = try store.account.buy("sword")
        // The queue does not hear of it yet.
        injector.add(.hold, at: .update)
        let transaction = try #require(await context.run { await Transaction.unfinished.first(1) }.first)
        flaky.fails = true
        let finish = Task.immediate { await transaction.unsafePayloadValue.finish() }
        flaky.fails = false
        injector.removeAllRules()
        injector.releaseAll()
        store.advance(by: 1)
        await finish.value
        #expect(try store.transactions.first { $0.id == identifier }?.isFinished == true)
    }

    @Test func `Each account's refunds are told, however many another account had`() async throws {
        let (alice, bob) = (shop.store.account, try shop.store.addAccount("bob"))
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        for buyer in [alice, alice, alice, bob] {
            try shop.store.device.signIn(to: buyer)
            let identifier = try buyer.buy("coins")
            #expect(try #require(await iterator.next()).unsafePayloadValue.id == UInt64(identifier))
            try shop.store.refund(identifier)
            let update = try #require(await iterator.next()).unsafePayloadValue
            #expect(update.id == UInt64(identifier) && update.revocationDate != nil)
        }
    }

    @Test func `A history that was cleared goes on to tell of refunds`() async throws {
        for identifier in try [shop.store.account.buy("coins"), shop.store.account.buy("coins")] {
            try shop.store.refund(identifier)
        }
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.clearTransactions()
        let identifier = try shop.store.account.buy("season")
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "season")
        try shop.store.refund(identifier)
        #expect(try #require(await iterator.next()).unsafePayloadValue.revocationDate != nil)
    }

    @Test func `A new subscriber hears nothing of how a subscription changed before`() async throws {
        try await shop.bought("gold")
        shop.context.run { _ = Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        var iterator = shop.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        shop.store.advance(by: 40 * 86_400)
        #expect(await iterator.next()?.state == .expired)
    }

    @Test func `A renewal that cannot be charged is a message`() async throws {
        try await shop.bought("gold")
        var iterator = shop.context.run { Message.messages.makeAsyncIterator() }
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: 32 * 86_400)
        #expect(await iterator.next()?.reason == .billingIssue)
    }

    @Test func `A price that asks for consent is a message`() async throws {
        try await shop.bought("gold")
        var iterator = shop.context.run { Message.messages.makeAsyncIterator() }
        try shop.store.account.requestPriceIncreaseConsent(inGroup: "club")
        #expect(await iterator.next()?.reason == .priceIncreaseConsent)
    }

    @Test func `What a subscriber has not taken of a store that was replaced is not told`() async throws {
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("coins")
        let other = try SandboxStore(products: Shop.products)
        _ = try other.account.buy("sword")
        shop.context.use(other)
        _ = try other.account.buy("season")
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "sword")
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "season")
    }

    @Test(.timeLimit(.minutes(10)))
    func `A subscriber whose store is replaced while readings fail hears of the new one at once`() async throws {
        let old = try SandboxStore(products: Shop.products)
        let flaky = FlakyStore(old)
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        flaky.fails = true
        _ = try old.account.buy("sword")
        let heard = Task.immediate {
            await context.run { await Transaction.updates.first(1) }.map(\.unsafePayloadValue.productID)
        }
        let other = try SandboxStore(products: Shop.products)
        _ = try other.account.buy("coins")
        context.use(other)
        // The clock of the old store, by which readings are repeated, stands still.
        #expect(await heard.value == ["coins"])
    }

    @Test func `A queue that misses its user's absence still has what is told once the user is back`() async throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: Shop.products, clock: clock)
        let injector = FaultInjector(store)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let account = store.account
        _ = try account.buy("sword")
        _ = await context.run { await Storefront.current }
        #expect(context.run { SKPaymentQueue.default() }.transactions.count == 1)
        injector.add(.fail(.network(.networkConnectionLost, "lost")), at: .update)
        try store.device.signOut()
        // It takes the sword, which the store shows to nobody.
        let heard = Task.immediate {
            await context.run { await Transaction.updates.first(1) }.map(\.unsafePayloadValue.productID)
        }
        try store.device.signIn(to: account)
        injector.removeAllRules()
        await clock.advance(by: 600)
        _ = try account.buy("coins")
        #expect(await heard.value == ["sword"])
    }

    @Test func `A purchase that an observer of Store Kit 1 takes is no intent`() async throws {
        let buyer = PromotionTaker()
        shop.queue.add(buyer)
        var iterator = shop.context.run { PurchaseIntent.intents.makeAsyncIterator() }
        try shop.store.device.promote("coins")
        shop.queue.remove(buyer)
        try shop.store.device.promote("sword")
        #expect(await iterator.next()?.id == "sword")
    }

    @Test func `Intents that nobody has heard wait for a subscriber`() async throws {
        _ = await shop.run { await Storefront.current }
        for product in ["coins", "sword", "coins"] { try shop.store.device.promote(product) }
        #expect(await shop.run { await PurchaseIntent.intents.first(3) }.map(\.id) == ["coins", "sword", "coins"])
    }

    @Test func `A transaction whose finish the store has not acknowledged can be finished again`() async throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: Shop.products, clock: clock)
        let injector = FaultInjector(store)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let identifier = try store.account.buy("coins")
        let result = try #require(await context.run { await Transaction.updates.first(1) }.first)
        #expect(result.unsafePayloadValue.id == UInt64(identifier))
        injector.add(.drop, at: .submission)
        for _ in 1...2 { await result.unsafePayloadValue.finish() }
        #expect(try store.device.unfinished.count == 1)
        injector.removeAllRules()
        await clock.advance(by: 600)
        #expect(await context.run { await Transaction.unfinished.all() }.isEmpty)
    }

    @Test func `Who owns a product and shares the family's is entitled by both`() async throws {
        let gold = SandboxProduct.nonConsumable("sword", price: "4.99", isFamilyShareable: true)
        let store = try SandboxStore(products: [gold])
        let parent = try store.addAccount("parent")
        let family = try store.addFamily("family", organizer: parent)
        try family.add(store.account)
        let own = try store.account.buy("sword")
        _ = try parent.buy("sword")
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        let entitlements = await context.run { await Transaction.currentEntitlements.all() }
        #expect(entitlements.map(\.unsafePayloadValue.ownershipType) == [.familyShared, .purchased])
        try store.refund(own)
        let left = await context.run { await Transaction.currentEntitlements.all() }
        #expect(left.map(\.unsafePayloadValue.ownershipType) == [.familyShared])
    }
}

/// An observer that buys what the store promotes.
private final class PromotionTaker: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            queue.finishTransaction(transaction)
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool { true }
}
