import StoreContract
import StoreCore
import StoreKit
import Testing

@Suite struct PurchaseTests {
    @Test(arguments: Shop.deliveries)
    func `A purchase returns its own verified transaction`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let token = UUID()
        guard
            case .success(.verified(let transaction)) =
                try await shop.buy("coins", [.quantity(3), .appAccountToken(token)])
        else { return _ = Issue.record("the purchase did not succeed") }
        #expect(transaction.productID == "coins" && transaction.purchasedQuantity == 3)
        #expect(transaction.appAccountToken == token && transaction.price == Decimal(string: "2.97"))
        #expect(transaction.productType == .consumable)
        #expect(String(transaction.id) == shop.queue.transactions.first?.transactionIdentifier)
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase that the user cancels is canceled, and leaves nothing`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        shop.store.authorizer = .always(.cancel)
        #expect(try await shop.buy("coins").name == "userCancelled")
        #expect(shop.queue.transactions.isEmpty)
        #expect(try shop.store.transactions.filter { $0.chargedAmount ?? 0 > 0 }.isEmpty)
    }

    @Test func `A purchase throws the error that Store Kit documents`() async throws {
        let shop = try Shop()
        let failures: [(StoreFailure, Product.PurchaseError)] = [
            (.storeKit(.paymentNotAllowed, "no"), .purchaseNotAllowed),
            (.storeKit(.paymentInvalid, "no"), .productUnavailable),
            (.storeKit(.invalidOfferIdentifier, "no"), .invalidOfferIdentifier),
            (.storeKit(.invalidSignature, "no"), .invalidOfferSignature),
            (.storeKit(.ineligibleForOffer, "no"), .ineligibleForOffer),
            (
                .storeKit(.paymentMethodBindingConfigurationRequired, "no"),
                .paymentMethodBindingConfigurationRequired
            ),
        ]
        for (failure, expected) in failures {
            shop.store.purchaseFailure = failure
            await #expect(throws: expected) { try await shop.buy("coins") }
        }
        shop.store.purchaseFailure = .network(.notConnectedToInternet, "offline")
        let trouble = await #expect(throws: StoreKitError.self) { try await shop.buy("coins") }
        guard case .networkError(let error) = trouble
        else { return _ = Issue.record("it is \(String(describing: trouble))") }
        #expect(error.code == .notConnectedToInternet)
        #expect(shop.queue.transactions.isEmpty)
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase that waits for approval is pending, and an update later`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        try shop.store.account.setAsksToBuy(true)
        #expect(try await shop.buy("coins").name == "pending")
        let question = try #require(shop.store.undecidedRequests.first)
        async let update = shop.run { await Transaction.updates.first(1) }
        try shop.store.decide(question.transaction, as: .approve)
        #expect(try await update.map { try $0.payloadValue.productID } == ["coins"])
    }

    @Test func `A purchase that is declined after it was pending leaves nothing`() async throws {
        let shop = try Shop(.inline)
        try shop.store.account.setAsksToBuy(true)
        #expect(try await shop.buy("coins").name == "pending")
        let question = try #require(shop.store.undecidedRequests.first)
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.decide(question.transaction, as: .decline())
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        // The subscriber hears of what comes next, and of nothing before.
        _ = try shop.store.account.buy("sword")
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "sword")
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase declined in a later launch is shown to an observer only`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        try shop.store.account.setAsksToBuy(true)
        #expect(try await shop.buy("coins").name == "pending")
        #expect(try await shop.buy("sword").name == "pending")
        _ = shop.queue.relaunch()
        _ = await shop.run { await Storefront.current }
        let questions = shop.store.undecidedRequests
        try shop.store.decide(questions[0].transaction, as: .decline())
        await shop.context.settle()
        #expect(try shop.store.device.unfinished.map(\.productIdentifier) == ["sword"])
        let observer = FinishingObserver()
        shop.queue.add(observer)
        try shop.store.decide(questions[1].transaction, as: .decline())
        await shop.context.settle()
        #expect(observer.told.last == "sword \(SKPaymentTransactionState.failed.rawValue)")
        #expect(try shop.store.device.unfinished.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A purchase pending when the storefront changes continues as it was ordered`(goesOn: Bool) async throws {
        let shop = try Shop(.inline)
        try shop.store.account.setAsksToBuy(true)
        let asked = Locked<[String]>([])
        let option = Product.PurchaseOption.onStorefrontChange { storefront in
            asked.withLock { $0.append(storefront.countryCode) }
            return goesOn
        }
        #expect(try await shop.buy("coins", [option]).name == "pending")
        try shop.store.setStorefront("DEU")
        #expect(asked.withLock { $0 } == ["DEU"])
        #expect(shop.store.undecidedRequests.count == (goesOn ? 1 : 0))
        await shop.context.settle()
        #expect(shop.queue.transactions.count == (goesOn ? 1 : 0))
    }

    @Test func `A task that is canceled waits no longer for a store that does not answer`() async throws {
        let injector = try FaultInjector(SandboxStore(products: Shop.products, clock: ManualClock()))
        injector.add(.drop, at: .productsRequest)
        let context = StoreContext(backend: injector, delivery: .inline, log: .silent)
        let reader = context.run { Task { try await Product.products(for: ["coins"]) } }
        reader.cancel()
        #expect(try await reader.value.isEmpty)
    }

    @Test(arguments: Shop.deliveries)
    func `A purchase returns its outcome although an observer has finished it`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let observer = FinishingObserver()
        shop.queue.add(observer)
        #expect(try await shop.bought("coins").productID == "coins")
        await shop.context.settle()
        #expect(shop.queue.transactions.isEmpty)
        #expect(await shop.run { await Transaction.unfinished.all() }.isEmpty)
        withExtendedLifetime(observer) {}
    }

    @Test func `A task that is canceled stops waiting, and the purchase goes on`() async throws {
        let shop = try Shop(.inline)
        let (questions, ask) = AsyncStream<Void>.makeStream()
        shop.store.authorizer = Authorizer { _ in
            ask.yield()
            return .later
        }
        let buyer = Task { try await shop.buy("coins") }
        _ = await questions.first(1)
        buyer.cancel()
        await #expect(throws: CancellationError.self) { try await buyer.value }
        let question = try #require(shop.store.undecidedRequests.first)
        async let update = shop.run { await Transaction.updates.first(1) }
        try shop.store.decide(question.transaction, as: .approve)
        #expect(try await update.map { try $0.payloadValue.productID } == ["coins"])
    }

    @Test func `Purchases at the same time return each its own transaction`() async throws {
        let shop = try Shop(selling: (1...10).map { .consumable("coins.\($0)", price: "0.99") })
        let identifiers = try await withThrowingTaskGroup(of: (Int, UInt64).self) { group in
            for quantity in 1...10 {
                group.addTask {
                    let transaction = try await shop.bought("coins.\(quantity)", [.quantity(quantity)])
                    #expect(transaction.purchasedQuantity == quantity)
                    return (quantity, transaction.id)
                }
            }
            return try await group.reduce(into: Set<UInt64>()) { $0.insert($1.1) }
        }
        #expect(identifiers.count == 10)
    }

    @Test func `A store without a history says so, and sells nothing`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let context = StoreContext(backend: PlainStore(store), log: .silent)
        let trouble = try await context.run {
            let product = try #require(try await Product.products(for: ["coins"]).first)
            return await #expect(throws: StoreKitError.self) { try await product.purchase() }
        }
        #expect("\(String(describing: trouble))".contains("HistoryService"))
        #expect(try store.transactions.isEmpty)
    }

    @Test func `What is read from a store without a history says so, and sequences are empty`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let context = StoreContext(backend: PlainStore(store), log: .silent)
        try store.account.buy("sword")
        let reads: [@Sendable () async throws -> Void] = [
            { _ = try await AppTransaction.shared },
            { _ = try await AppTransaction.refresh() },
            { _ = try await AppStore.sync() },
            { _ = try await Product.SubscriptionInfo.status(for: "club") },
        ]
        for read in reads {
            let trouble = await context.run { await #expect(throws: StoreKitError.self) { try await read() } }
            #expect("\(String(describing: trouble))".contains("HistoryService"))
        }
        #expect(await context.run { await Transaction.all.all() }.isEmpty)
        #expect(await context.run { await Transaction.currentEntitlements.all() }.isEmpty)
        #expect(await context.run { await Transaction.latest(for: "sword") } == nil)
    }
}
