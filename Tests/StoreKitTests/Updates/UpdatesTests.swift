import StoreCore
import StoreKit
import Testing

@Suite struct UpdatesTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    private func products(_ results: [VerificationResult<Transaction>]) -> [String] {
        results.map(\.unsafePayloadValue.productID)
    }

    @Test(arguments: Shop.deliveries)
    func `Every subscriber is first told of all that is unfinished`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        _ = try shop.store.account.buy("coins")
        _ = try shop.store.account.buy("sword")
        for _ in 0..<2 {
            let updates = await shop.run { await Transaction.updates.first(2) }
            #expect(Set(products(updates)) == ["coins", "sword"])
        }
    }

    @Test func `What a purchase has returned is no update, until the next launch`() async throws {
        try await shop.bought("coins")
        _ = try shop.store.account.buy("sword")
        #expect(products(await shop.run { await Transaction.updates.first(1) }) == ["sword"])
        _ = shop.queue.relaunch()
        #expect(Set(products(await shop.run { await Transaction.updates.first(2) })) == ["coins", "sword"])
    }

    @Test func `Several subscribers are told of everything, and miss nothing between two elements`() async throws {
        let iterators = shop.context.run { (0..<3).map { _ in Transaction.updates.makeAsyncIterator() } }
        for _ in 0..<300 { _ = try shop.store.account.buy("coins") }
        for var iterator in iterators {
            var identifiers: Set<UInt64> = []
            for _ in 0..<300 {
                let update = await shop.run { await iterator.next() }
                identifiers.insert(try #require(update).unsafePayloadValue.id)
            }
            #expect(identifiers.count == 300)
        }
    }

    @Test func `What a purchase is to return is no update of who begins to listen meanwhile`() async throws {
        /// An observer that begins to listen when it hears of a purchase, before Store Kit 2 does.
        final class Listener: NSObject, SKPaymentTransactionObserver {
            var updates: Transaction.Transactions.AsyncIterator?
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                guard transactions.contains(where: { $0.transactionState == .purchased }) else { return }
                if updates == nil { updates = Transaction.updates.makeAsyncIterator() }
            }
        }
        let shop = try Shop(.inline)
        let listener = Listener()
        shop.queue.add(listener)
        let bought = try await shop.bought("coins")
        let later = try shop.store.account.buy("sword")
        var updates = try #require(listener.updates)
        #expect(try #require(await updates.next()).unsafePayloadValue.id == UInt64(later))
        #expect(bought.productID == "coins")
    }

    @Test func `A canceled task takes nothing more, also of what has been read`() async throws {
        for _ in 0..<3 { _ = try shop.store.account.buy("coins") }
        let taken = await shop.run {
            await Task {
                var count = 0
                for await _ in Transaction.unfinished {
                    count += 1
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return count
            }
            .value
        }
        #expect(taken == 1)
    }

    @Test func `A thousand contexts with a subscriber each hear their own purchases alone`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let store = try SandboxStore(products: [.consumable("coins\(number)", price: "0.99")])
                    let context = StoreContext(backend: store, delivery: .inline, log: .silent)
                    try await context.run {
                        async let heard = Transaction.updates.first(3)
                        for _ in 1...3 { _ = try store.account.buy("coins\(number)") }
                        let products = await heard.map(\.unsafePayloadValue.productID)
                        #expect(products == Array(repeating: "coins\(number)", count: 3))
                        #expect(await Transaction.all.all().count == 3)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `Renewals are updates`() async throws {
        try await shop.bought("gold").finish()
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.store.advance(by: 32 * 86_400)
        let renewal = try #require(await shop.run { await iterator.next() }).payloadValue
        #expect(renewal.reason == .renewal && renewal.originalID != renewal.id)
    }

    @Test func `A refund is an update of the transaction, also of a finished consumable`() async throws {
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        for product in ["coins", "sword"] {
            let transaction = try await shop.finished(product)
            try shop.store.refund(String(transaction.id))
            let update = try #require(await shop.run { await iterator.next() }).payloadValue
            #expect(update.id == transaction.id && update.revocationDate != nil && update.revocationPercentage == 100)
        }
    }

    @Test func `An observer of Store Kit 1 that comes later is told of all that is unfinished`() async throws {
        try await shop.bought("coins")
        let observer = FinishingObserver()
        shop.queue.add(observer)
        await shop.context.settle()
        #expect(observer.told.contains("coins \(SKPaymentTransactionState.purchased.rawValue)"))
        #expect(await shop.run { await Transaction.unfinished.all() }.isEmpty)
        #expect(shop.queue.transactionObservers.count == 1)
    }

    @Test func `An app that comes to the front hears of what is unfinished in Store Kit 1 alone`() async throws {
        let observer = FinishingObserver(finishes: false)
        shop.queue.add(observer)
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("coins")
        _ = await shop.run { await iterator.next() }
        shop.queue.comeToFront()
        let sword = try shop.store.account.buy("sword")
        #expect(await shop.run { await iterator.next() }?.unsafePayloadValue.id == UInt64(sword))
        let purchased = "coins \(SKPaymentTransactionState.purchased.rawValue)"
        #expect(observer.told.filter { $0 == purchased } == [purchased, purchased])
    }

    @Test func `The sequence of a queue that was relaunched ends`() async throws {
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = shop.queue.relaunch()
        #expect(await iterator.next() == nil)
    }

    @Test func `A change of a subscription's renewal is a status update`() async throws {
        try await shop.bought("gold")
        var iterator = shop.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        let status = try #require(await iterator.next())
        #expect(try status.renewalInfo.payloadValue.willAutoRenew == false && status.state == .subscribed)
        shop.store.advance(by: 40 * 86_400)
        #expect(await iterator.next()?.state == .expired)
    }

    @Test func `A change of the storefront is told`() async throws {
        #expect(await shop.run { await Storefront.current?.countryCode } == "USA")
        var iterator = shop.context.run { Storefront.updates.makeAsyncIterator() }
        try shop.store.setStorefront("DEU")
        #expect(await iterator.next()?.countryCode == "DEU")
    }

    @Test func `A purchase that the user begins in the store is an intent`() async throws {
        var iterator = shop.context.run { PurchaseIntent.intents.makeAsyncIterator() }
        try shop.store.device.promote("sword")
        let intent = try #require(await iterator.next())
        #expect(intent.product.id == "sword")
        let result = try await shop.run { try await intent.product.purchase() }
        guard case .success = result else { return _ = Issue.record("\(result)") }
    }

    @Test func `Another store's transactions are updates once the context has it`() async throws {
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("coins")
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "coins")
        let other = try SandboxStore(products: Shop.products)
        _ = try other.account.buy("sword")
        shop.context.use(other)
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "sword")
    }
}
