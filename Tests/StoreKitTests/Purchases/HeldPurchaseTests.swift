import StoreContract
import StoreCore
import StoreKit
import Testing

/// What `purchase()` comes to where the account holds what is bought, or is subscribed to the group already.
@Suite struct HeldPurchaseTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    /// What Store Kit 2 lists, and what Store Kit 1's queue and receipt have.
    private struct Lists: Equatable {
        let all: [UInt64]
        let unfinished: [UInt64]
        let latest: [UInt64?]
        let queued: Int
        let receipt: [String]
        let charged: Decimal
    }

    private func lists(of shop: Shop) async throws -> Lists {
        let (all, unfinished) = await shop.run { (await Transaction.all.all(), await Transaction.unfinished.all()) }
        var latest: [UInt64?] = []
        for product in Shop.products {
            let result = await shop.run { await Transaction.latest(for: product.identifier) }
            latest.append(result?.unsafePayloadValue.id)
        }
        let receipt = try shop.store.appReceipt.map { try shop.store.verify(appReceipt: $0) }
        return Lists(
            all: all.map(\.unsafePayloadValue.id),
            unfinished: unfinished.map(\.unsafePayloadValue.id),
            latest: latest,
            queued: shop.queue.transactions.count,
            receipt: receipt?.purchases.map(\.transactionIdentifier) ?? [],
            charged: try shop.charged
        )
    }

    @Test(arguments: Shop.deliveries)
    func `A2: A change that waits returns the transaction held; nothing is new`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let held = try await shop.finished("gold")
        let before = try await lists(of: shop)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let answer = try await shop.bought("silver")
        #expect(answer.id == held.id && answer.productID == "gold" && answer.purchaseDate == held.purchaseDate)
        #expect(answer.appAccountToken == held.appAccountToken)
        await shop.context.settle()
        #expect(try await lists(of: shop) == before)
        #expect(try await shop.renewal().autoRenewPreference == "silver")
        #expect(try await shop.renewal().currentProductID == "gold")
        // Neither an update nor the next launch has it: the first that comes is another purchase.
        let coins = try shop.store.account.buy("coins")
        #expect(try #require(await shop.run { await updates.next() }).unsafePayloadValue.id == UInt64(coins))
        _ = shop.queue.relaunch()
        #expect(await shop.run { await Transaction.updates.first(1) }.map(\.unsafePayloadValue.id) == [UInt64(coins)])
    }

    @Test func `A2: The new product's first transaction is the renewal, at its full price`() async throws {
        let held = try await shop.bought("gold")
        try await shop.bought("silver")
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.store.advance(by: 32 * 86_400)
        let renewal = try #require(await shop.run { await updates.next() }).unsafePayloadValue
        #expect(renewal.productID == "silver" && renewal.reason == .renewal && renewal.originalID == held.id)
        #expect(renewal.price == 1.99)
    }

    @Test func `A2: What Store Kit 1 is told of a change of Store Kit 2's has the identifier held`() async throws {
        let observer = FinishingObserver()
        shop.queue.add(observer)
        try await shop.bought("gold")
        try await shop.bought("silver")
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        #expect(await shop.run { await Transaction.unfinished.all() }.isEmpty)
    }

    @Test func `A2: A change that Store Kit 1 has ordered is no update of Store Kit 2's`() async throws {
        let held = try await shop.finished("gold")
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.queue.add(SKPayment(productIdentifier: "silver"))
        await shop.context.settle()
        let coins = try shop.store.account.buy("coins")
        #expect(try #require(await shop.run { await updates.next() }).unsafePayloadValue.id == UInt64(coins))
        // Store Kit 1 finishes it.
        let answer = try #require(shop.queue.transactions.first)
        #expect(answer.transactionIdentifier == String(held.id) && answer.payment.productIdentifier == "silver")
    }

    @Test func `A2: An approved change is no update either`() async throws {
        _ = try await shop.finished("gold")
        try shop.store.account.setAsksToBuy(true)
        guard case .pending = try await shop.buy("silver") else { return #expect(Bool(false), "it is not pending") }
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        #expect(try await shop.renewal().autoRenewPreference == "silver")
        let coins = try shop.store.account.buy("coins")
        #expect(try #require(await shop.run { await updates.next() }).unsafePayloadValue.id == UInt64(coins))
    }

    @Test(arguments: Shop.deliveries)
    func `A3: A running subscription bought again returns the transaction held`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let held = try await shop.bought("gold")
        let before = try await lists(of: shop)
        #expect(try await shop.bought("gold").id == held.id)
        await shop.context.settle()
        #expect(try await lists(of: shop) == before)
        // The quirk is Store Kit 1's.
        shop.store.quirks = [.repeatedSubscriptionFails]
        #expect(try await shop.bought("gold").id == held.id)
    }

    @Test func `A3: Bought again, a subscription renews again, and a change is called off`() async throws {
        let held = try await shop.bought("gold")
        try await shop.bought("silver")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        #expect(try await shop.bought("gold").id == held.id)
        let renewal = try await shop.renewal()
        #expect(renewal.willAutoRenew && renewal.autoRenewPreference == "gold")
    }

    @Test(arguments: Shop.deliveries)
    func `A4: A non-consumable bought again returns the transaction held`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let held = try await shop.finished("sword")
        shop.store.advance(by: 86_400)
        let before = try await lists(of: shop)
        let answer = try await shop.bought("sword")
        #expect(answer.id == held.id && answer.purchaseDate == held.purchaseDate)
        await shop.context.settle()
        #expect(try await lists(of: shop) == before)
        // What is refunded is sold again.
        try shop.store.refund(String(held.id))
        #expect(try await shop.bought("sword").id != held.id)
    }

    @Test func `A4: A product with content is handed back on another device too`() async throws {
        let level = SandboxProduct.nonConsumable("level", price: "1.99").hosting(Data("0123456789".utf8))
        let shop = try Shop(.inline, selling: [level])
        let held = try await shop.finished("level")
        let tablet = try shop.store.addDevice("tablet", signedInTo: shop.store.account)
        let context = StoreContext(backend: tablet, delivery: .inline, log: .silent)
        let result = try await context.run { try await Product.products(for: ["level"])[0].purchase() }
        guard case .success(let answer) = result else { return _ = Issue.record("\(result)") }
        #expect(answer.unsafePayloadValue.id == held.id)
    }

    // It is told before the app that has ordered, or after it.
    @Test(arguments: [true, false])
    func `A4: An app's observer leaves alone what answers another app of the device`(isToldFirst: Bool) async throws {
        _ = try await shop.finished("sword")
        let counter = FinishCounter(shop.store)
        let other = StoreContext(backend: counter, delivery: .inline, log: .silent)
        let buyer = StoreContext(backend: shop.store, delivery: .inline, log: .silent)
        let observer = FinishingObserver(finishes: false)
        for context in isToldFirst ? [other, buyer] : [buyer, other] {
            context.run {
                if context === other { SKPaymentQueue.default().add(observer) }
                _ = Transaction.updates.makeAsyncIterator()
            }
        }
        let result = try await buyer.run {
            try await Product.products(for: ["sword"])[0].purchase(options: [.simulatesAskToBuyInSandbox(true)])
        }
        #expect(result.name == "pending")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        await buyer.settle()
        await other.settle()
        #expect(!observer.told.isEmpty)
        #expect(counter.finishes == 0)
        // The app that has ordered it finishes it.
        #expect(buyer.run { SKPaymentQueue.default().transactions }.isEmpty)
    }

    @Test(arguments: Shop.deliveries)
    func `A5: An unfinished consumable bought again is handed back`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let first = try await shop.bought("coins")
        let before = try await lists(of: shop)
        let answer = try await shop.bought("coins", [.quantity(3)])
        #expect(answer.id == first.id && answer.purchasedQuantity == 1)
        await shop.context.settle()
        #expect(try await lists(of: shop) == before)
        await shop.run { await answer.finish() }
        #expect(try await shop.bought("coins").id != first.id)
        #expect(try shop.charged == 0.99 * 2)
    }

    @Test func `A5: Nobody is asked about what is handed back, and a refunded one is sold anew`() async throws {
        let first = try await shop.bought("coins")
        try shop.store.account.setAsksToBuy(true)
        #expect(try await shop.bought("coins").id == first.id)
        try shop.store.account.setAsksToBuy(false)
        try shop.store.refund(String(first.id))
        #expect(try await shop.bought("coins").id != first.id)
    }

    @Test func `A5: The oldest of many unfinished ones is handed back, even if it was approved last`() async throws {
        let observer = FinishingObserver(finishes: false)
        shop.queue.add(observer)
        try shop.store.account.setAsksToBuy(true)
        shop.queue.add(SKPayment(productIdentifier: "coins"))
        try shop.store.account.setAsksToBuy(false)
        for _ in 0..<80 { shop.queue.add(SKPayment(productIdentifier: "coins")) }
        #expect(try await shop.bought("coins").id == 2)
        try shop.store.decide("1", as: .approve)
        #expect(try await shop.bought("coins").id == 1)
        let all = shop.queue.transactions
        // All but the fortieth and the last.
        for (index, transaction) in all.enumerated() where index != 40 && index != 80 {
            shop.queue.finishTransaction(transaction)
        }
        #expect(try await shop.bought("coins").id == 41)
        shop.queue.finishTransaction(all[40])
        #expect(try await shop.bought("coins").id == 81)
        shop.queue.finishTransaction(all[80])
        #expect(try await shop.bought("coins").id > 81)
    }

    @Test func `A5: What another device did not finish is not handed back, what came without order is`() async throws {
        let first = try await shop.bought("coins")
        let tablet = try shop.store.addDevice("tablet", signedInTo: shop.store.account)
        let context = StoreContext(backend: tablet, delivery: .inline, log: .silent)
        let second = try await context.run { () -> UInt64 in
            let product = try #require(try await Product.products(for: ["coins"]).first)
            guard case .success(let result) = try await product.purchase() else { return 0 }
            return result.unsafePayloadValue.id
        }
        #expect(second != first.id && second != 0)
        await shop.run { await first.finish() }
        let elsewhere = try shop.store.account.buy("coins")
        #expect(try await String(shop.bought("coins").id) == elsewhere)
    }

    @Test func `A5: By Store Kit 1 each payment is sold, as many as are added`() throws {
        let observer = FinishingObserver()
        shop.queue.add(observer)
        for _ in 0..<3 { shop.queue.add(SKPayment(productIdentifier: "coins")) }
        #expect(try shop.store.transactions.map(\.held) == [nil, nil, nil] && shop.charged == Decimal(string: "2.97"))
    }

    @Test(arguments: Shop.deliveries)
    func `A9: An interrupted purchase is pending, and an update once resolved`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        try shop.store.account.setInterruptsPurchases(true)
        #expect(try await shop.buy("coins").name == "pending")
        #expect(try shop.charged == 0)
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.resolveInterruption(of: try #require(shop.store.interruptedPurchases.first).transaction)
        #expect(try #require(await shop.run { await updates.next() }).unsafePayloadValue.productID == "coins")
        #expect(try shop.charged == 0.99)
    }

    @Test func `A1: A change has no introductory offer even for the eligible; who comes back has it`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        let silver = try await shop.bought("silver")
        #expect(silver.offer == nil)
        #expect(try await shop.isEligibleForIntroductoryOffer())
        let gold = try await shop.bought("gold")
        #expect(gold.id != silver.id && gold.offer == nil && gold.price == Decimal(string: "3.99"))
        #expect(try await shop.isEligibleForIntroductoryOffer())
        try shop.endSubscription()
        #expect(try await shop.bought("gold").offer?.type == .introductory)
        #expect(try await !shop.isEligibleForIntroductoryOffer())
    }
}

private final class FinishCounter: ForwardingBackend {
    let backend: any StoreBackend
    private let count = Locked(0)

    init(_ backend: any StoreBackend) { self.backend = backend }

    var finishes: Int { count.withLock { $0 } }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        for command in commands { if case .finish = command.action { count.withLock { $0 += 1 } } }
        backend.submit(commands, reply: reply)
    }
}
