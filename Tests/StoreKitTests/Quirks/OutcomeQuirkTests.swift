import StoreContract
import StoreCore
import StoreKit
import Testing

/// What purchases come to in stores that were seen to do otherwise, and what that does to apps.
@Suite struct OutcomeQuirkTests {
    // MARK: lapsed-is-not-sold

    @Test(arguments: Shop.deliveries)
    func `C7: A lapsed subscription bought again is the old transaction, and is not charged`(
        delivery: StoreDelivery
    ) async throws {
        let shop = try Shop(delivery)
        let old = try await shop.finished("gold")
        try shop.endSubscription()
        shop.store.quirks = [.lapsedIsNotSold]
        let charged = try shop.charged
        let answer = try await shop.bought("gold")
        #expect(answer.id == old.id && answer.expirationDate == old.expirationDate)
        #expect(try #require(answer.expirationDate) < shop.store.clock.now)
        #expect(try shop.charged == charged && shop.store.account.entitlements.isEmpty)
        #expect(await shop.run { await Transaction.unfinished.all() }.isEmpty)
        // Another product of the group is sold, and so is the same one without the quirk.
        #expect(try await shop.bought("silver").productID == "silver")
        try shop.endSubscription()
        shop.store.quirks = []
        #expect(try await shop.bought("gold").id != old.id)
    }

    @Test func `C7: A lapsed subscription ordered by Store Kit 1 ends as the old transaction`() async throws {
        let shop = try Shop(.inline)
        let observer = FinishingObserver(finishes: false)
        shop.queue.add(observer)
        let old = try shop.store.account.buy("gold")
        await shop.context.settle()
        for transaction in shop.queue.transactions { shop.queue.finishTransaction(transaction) }
        try shop.endSubscription()
        for transaction in shop.queue.transactions { shop.queue.finishTransaction(transaction) }
        let charged = try shop.charged
        shop.store.quirks = [.lapsedIsNotSold]
        shop.queue.add(SKPayment(productIdentifier: "gold"))
        await shop.context.settle()
        #expect(shop.queue.transactions.map(\.transactionIdentifier) == [old])
        #expect(try shop.charged == charged)
    }

    @Test func `C7: An app that unlocks on success gives away what a lapsed user has not paid for`() async throws {
        func unlocks(_ transaction: Transaction) -> Bool { true }
        func unlocksWhileItRuns(_ transaction: Transaction, at now: Date) -> Bool {
            transaction.revocationDate == nil && transaction.expirationDate.map { $0 > now } ?? true
        }
        let shop = try Shop(.inline)
        _ = try await shop.finished("gold")
        try shop.endSubscription()
        shop.store.quirks = [.lapsedIsNotSold]
        let transaction = try await shop.bought("gold")
        let owns = !shop.store.account.entitlements.isEmpty
        #expect(unlocks(transaction) != owns)
        #expect(unlocksWhileItRuns(transaction, at: shop.store.clock.now) == owns)
    }

    @Test func `C7: The user may cancel, and a parent decides, before a lapsed subscription is handed out again`()
        async throws
    {
        let shop = try Shop(.inline)
        let old = try await shop.finished("gold")
        try shop.endSubscription()
        shop.store.quirks = [.lapsedIsNotSold]
        shop.store.authorizer = .always(.cancel)
        #expect(try await shop.buy("gold").name == "userCancelled")
        shop.store.authorizer = .always(.approve)
        let charged = try shop.charged
        #expect(try await shop.bought("gold").id == old.id)
        try shop.store.account.setAsksToBuy(true)
        #expect(try await shop.buy("gold").name == "pending")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        #expect(try shop.charged == charged && shop.store.account.entitlements.isEmpty)
    }

    // MARK: unknown-offer-sells-at-full-price

    private func offerShop() throws -> (shop: Shop, stranger: SandboxStore) {
        (try Shop(.inline, selling: Shop.offerProducts), try SandboxStore(products: Shop.offerProducts))
    }

    @Test func `C8: An introductory override of unknown signature sells at the full price`() async throws {
        let (shop, stranger) = try offerShop()
        let unknown = try stranger.compactJWS(for: .introductoryOffer(isAllowed: true), of: "gold")
        for proof in [unknown, "word"] {
            let option = Product.PurchaseOption.introductoryOfferEligibility(compactJWS: proof)
            try await shop.expectRefusal(.invalidOfferSignature, of: "gold", [option])
        }
        shop.store.quirks = [.unknownOfferSellsAtFullPrice]
        let transaction = try await shop.bought("gold", [.introductoryOfferEligibility(compactJWS: unknown)])
        #expect(transaction.offer == nil && transaction.price == Decimal(string: "3.99"))
        #expect(try await shop.isEligibleForIntroductoryOffer())
    }

    @Test func `The full price is that of an order decided later too, and a known signature grants its offer`()
        async throws
    {
        let (shop, _) = try offerShop()
        shop.store.quirks = [.unknownOfferSellsAtFullPrice]
        try shop.store.account.setAsksToBuy(true)
        let word = Product.PurchaseOption.introductoryOfferEligibility(compactJWS: "word")
        #expect(try await shop.buy("gold", [word]).name == "pending")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        #expect(try shop.charged == Decimal(string: "3.99"))
        try shop.store.account.setAsksToBuy(false)
        try shop.endSubscription()
        let proof = try shop.store.compactJWS(for: .introductoryOffer(isAllowed: true), of: "gold")
        let known = Product.PurchaseOption.introductoryOfferEligibility(compactJWS: proof)
        #expect(try await shop.bought("gold", [known]).offer?.type == .introductory)
        // It served once, and its signature is known.
        try await shop.expectRefusal(.invalidOfferSignature, of: "gold", [known])
    }

    @Test func `C8: A promotional JWS of unknown signature fails as unknown`() async throws {
        let (shop, stranger) = try offerShop()
        try shop.lapse()
        shop.store.quirks = [.unknownOfferSellsAtFullPrice]
        let charged = try shop.charged
        for proof in [try stranger.compactJWS(for: .promotionalOffer("spring"), of: "gold"), "word"] {
            let options = Product.PurchaseOption.promotionalOffer("spring", compactJWS: proof)
            let error = await #expect(throws: StoreKitError.self) { try await shop.buy("gold", Set(options)) }
            guard case .unknown = error else { return _ = Issue.record("\(String(describing: error))") }
        }
        #expect(try shop.charged == charged)
    }

    @Test func `C8: An app that promises what its server has signed promises a free week that is charged`() async throws
    {
        func thanks(_ transaction: Transaction) -> String { "Your free week has begun." }
        func thanksByTransaction(_ transaction: Transaction) -> String {
            transaction.offer?.paymentMode == .freeTrial ? "Your free week has begun." : "Thank you for subscribing."
        }
        let (shop, _) = try offerShop()
        shop.store.quirks = [.unknownOfferSellsAtFullPrice]
        let transaction = try await shop.bought("gold", [.introductoryOfferEligibility(compactJWS: "word")])
        #expect(try shop.charged > 0)
        #expect(thanks(transaction).contains("free"))
        #expect(!thanksByTransaction(transaction).contains("free"))
    }

    // MARK: declined-arrives

    /// Asks for coins, and lets a parent decline.
    private func declinedCoins(_ shop: Shop) async throws -> Product.PurchaseResult {
        try shop.store.account.setAsksToBuy(true)
        let result = try await shop.buy("coins")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .decline())
        return result
    }

    @Test(arguments: Shop.deliveries)
    func `C9: A declined request arrives as a purchase, and is charged`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        shop.store.quirks = [.declinedArrives]
        #expect(try await declinedCoins(shop).name == "pending")
        #expect(try shop.charged == 0.99)
        let update = try #require(await shop.run { await Transaction.updates.first(1) }.first)
        #expect(update.unsafePayloadValue.productID == "coins")
    }

    @Test func `C9: Only another person's refusal arrives: the authorizer's, and a failure of the store, do not`()
        async throws
    {
        let shop = try Shop(.inline)
        shop.store.quirks = [.declinedArrives]
        shop.store.authorizer = .always(.decline())
        let observer = FinishingObserver()
        shop.queue.add(observer)
        await #expect(throws: StoreKitError.self) { try await shop.buy("coins") }
        shop.store.authorizer = .always(.later)
        shop.queue.add(SKPayment(productIdentifier: "coins"))
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .decline())
        shop.store.authorizer = .approving
        shop.store.purchaseFailure = nil
        #expect(try shop.charged == 0)
        try shop.store.account.setAsksToBuy(true)
        shop.queue.add(SKPayment(productIdentifier: "coins"))
        shop.store.purchaseFailure = .storeKit(.unknown, "it fails")
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .decline())
        #expect(try shop.charged == 0 && shop.store.undecidedRequests.isEmpty)
    }

    @Test func `C9: An app that hears its own purchases only never delivers what a parent has declined`() async throws {
        /// Delivers what `purchase()` returns.
        func deliveredByResult(_ result: Product.PurchaseResult) -> [String] {
            if case .success(let transaction) = result { [transaction.unsafePayloadValue.productID] } else { [] }
        }
        let shop = try Shop(.inline)
        shop.store.quirks = [.declinedArrives]
        let result = try await declinedCoins(shop)
        #expect(try shop.charged > 0 && deliveredByResult(result).isEmpty)
        #expect(await shop.deliveredByUpdates(1) == ["coins"])
    }

    // MARK: interrupted-fails

    @Test(arguments: Shop.deliveries)
    func `C10: An interrupted purchase throws unknown, and is an update once resolved`(
        delivery: StoreDelivery
    ) async throws {
        let shop = try Shop(delivery)
        shop.store.quirks = [.interruptedFails]
        try shop.store.account.setInterruptsPurchases(true)
        let error = await #expect(throws: StoreKitError.self) { try await shop.buy("coins") }
        guard case .unknown = error else { return _ = Issue.record("\(String(describing: error))") }
        #expect(try shop.charged == 0)
        try shop.store.resolveInterruption(of: try #require(shop.store.interruptedPurchases.first).transaction)
        let update = try #require(await shop.run { await Transaction.updates.first(1) }.first)
        #expect(update.unsafePayloadValue.productID == "coins")
        #expect(try shop.charged == 0.99)
    }

    @Test func `C10: An app that orders again after an error sells twice what was only interrupted`() async throws {
        func buys(again: Bool) async throws -> (charged: Decimal, delivered: [String]) {
            let shop = try Shop(.inline)
            shop.store.quirks = [.interruptedFails]
            try shop.store.account.setInterruptsPurchases(true)
            await #expect(throws: StoreKitError.self) { try await shop.buy("coins") }
            // The user sees to the issue, and the app has not heard of it.
            try shop.store.account.setInterruptsPurchases(false)
            if again { _ = try await shop.finished("coins") }
            try shop.store.resolveInterruption(of: try #require(shop.store.interruptedPurchases.first).transaction)
            return (try shop.charged, await shop.deliveredByUpdates(1))
        }
        #expect(try await buys(again: true).charged == Decimal(string: "1.98"))
        let patient = try await buys(again: false)
        #expect(patient.charged == 0.99 && patient.delivered == ["coins"])
    }

    // MARK: purchase-never-returns

    @Test func `C15: A purchase waits at a sheet that does not end, and is decided once the quirk is removed`()
        async throws
    {
        let sheet = try await Sheet()
        let task = Task { try await sheet.buy().name }
        await sheet.backend.isOrdered()
        sheet.store.advance(by: 86_400)
        #expect(sheet.store.undecidedRequests.map(\.productIdentifier) == ["coins"])
        #expect(try sheet.store.account.totalCharged == 0)
        sheet.store.quirks = [.notifiesTwice]
        #expect(try await task.value == "success")
        #expect(try sheet.store.account.totalCharged == 0.99)
    }

    @Test func `C15: A canceled task ends the wait, and the purchase arrives once it is decided`() async throws {
        let sheet = try await Sheet()
        let task = Task { try await sheet.buy().name }
        await sheet.backend.isOrdered()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try sheet.store.decide(try #require(sheet.store.undecidedRequests.first).transaction, as: .approve)
        let update = try #require(await sheet.context.run { await Transaction.updates.first(1) }.first)
        #expect(update.unsafePayloadValue.productID == "coins")
        sheet.store.quirks = []
        #expect(try sheet.store.account.totalCharged == 0.99)
    }

    @Test func `The authorizer is asked only once the quirk is removed`() throws {
        let shop = try Shop(.inline)
        let asked = Locked(0)
        shop.store.authorizer = Authorizer { _ in
            asked.withLock { $0 += 1 }
            return .cancel
        }
        shop.store.quirks = [.purchaseNeverReturns]
        let observer = FinishingObserver()
        shop.queue.add(observer)
        shop.queue.add(SKPayment(productIdentifier: "coins"))
        shop.queue.add(SKPayment(productIdentifier: "sword"))
        try #require(asked.withLock { $0 } == 0 && shop.store.undecidedRequests.count == 2)
        try shop.store.decide(shop.store.undecidedRequests[0].transaction, as: .approve)
        shop.store.quirks = []
        #expect(asked.withLock { $0 } == 1 && shop.store.undecidedRequests.isEmpty)
        #expect(try shop.charged == 0.99)
    }

    @Test func `An order whose authorizer is still deciding is not asked about again`() throws {
        let shop = try Shop(.inline)
        let asked = Locked(0)
        shop.store.authorizer = Authorizer { [store = shop.store] _ in
            asked.withLock { $0 += 1 }
            // As on another thread, while this one decides.
            store.quirks = [.purchaseNeverReturns]
            store.quirks = []
            return .approve
        }
        let observer = FinishingObserver()
        shop.queue.add(observer)
        shop.queue.add(SKPayment(productIdentifier: "coins"))
        #expect(asked.withLock { $0 } == 1)
        #expect(try shop.charged == 0.99)
    }

    @Test func `A store that is opened on the ledger decides what the process has left at the sheet`() throws {
        let ledger = MemoryLedger()
        var store = try SandboxStore(products: Shop.products, ledger: ledger)
        store.quirks = [.purchaseNeverReturns]
        let observer = FinishingObserver()
        StoreContext(backend: store, delivery: .inline, log: .silent).run {
            SKPaymentQueue.default().add(observer)
            SKPaymentQueue.default().add(SKPayment(productIdentifier: "coins"))
        }
        #expect(try store.undecidedRequests.count == 1 && store.account.totalCharged == 0)
        store = try SandboxStore(products: Shop.products, ledger: ledger)
        #expect(try store.undecidedRequests.isEmpty && store.account.totalCharged == 0.99)
    }

    @Test func `C15: An app whose button waits for the purchase stays disabled, one with a way out does not`()
        async throws
    {
        final class Button: Sendable {
            private let isDisabled = Locked(false)
            var isEnabled: Bool { isDisabled.withLock { !$0 } }

            func buy(_ sheet: Sheet) async {
                isDisabled.withLock { $0 = true }
                defer { isDisabled.withLock { $0 = false } }
                _ = try? await sheet.buy()
            }
        }
        let sheet = try await Sheet()
        let button = Button()
        let purchase = Task { await button.buy(sheet) }
        await sheet.backend.isOrdered()
        sheet.store.advance(by: 3600)
        #expect(!button.isEnabled)
        // The user closes the app's own sheet, which cancels the task and not the order.
        purchase.cancel()
        await purchase.value
        #expect(button.isEnabled)
        sheet.store.quirks = []
        #expect(await sheet.context.run { await Transaction.updates.first(1) }.count == 1)
    }

    // MARK: products-hang

    @Test func `C15: A look-up of products is answered late by the store's clock`() async throws {
        let shop = try Shop(.inline)
        shop.store.quirks = [.productsHang(for: 60)]
        let list = ProductList(shop.context)
        list.load()
        shop.store.advance(by: 59)
        #expect(list.state == "loading")
        // The answer is that of the moment at which it comes.
        try shop.store.setAvailability(.withdrawn, of: "sword")
        shop.store.advance(by: 1)
        #expect(list.state == "coins")
        shop.store.quirks = []
        list.load()
        #expect(list.state == "coins")
    }

    @Test func `C15: A look-up that hangs is answered once the quirk is removed`() async throws {
        let shop = try Shop(.inline)
        shop.store.quirks = [.productsHang(for: 60), .listsLate(by: 1)]
        let list = ProductList(shop.context)
        list.load()
        shop.store.quirks = [.productsHang(for: 60)]
        #expect(list.state == "loading")
        shop.store.quirks = []
        #expect(list.state == "coins, sword")
        try shop.store.setAvailability(.withdrawn, of: "sword")
        shop.store.advance(by: 60)
        #expect(list.state == "coins, sword")
    }

    @Test func `Product.products hangs as long, and does not hang out of reach`() async throws {
        let shop = try Shop(.inline)
        let backend = AskedBackend(shop.store)
        let context = StoreContext(backend: backend, delivery: .inline, log: .silent)
        shop.store.quirks = [.productsHang(for: 60)]
        let task = Task { try await context.run { try await Product.products(for: ["coins"]).map(\.id) } }
        await backend.isLookedUp()
        shop.store.advance(by: 60)
        #expect(try await task.value == ["coins"])
        shop.store.isReachable = false
        await #expect(throws: StoreKitError.self) {
            try await context.run { try await Product.products(for: ["coins"]) }
        }
    }

    @Test func `C15: An app without patience of its own shows a spinner for minutes`() throws {
        let shop = try Shop(.inline)
        shop.store.quirks = [StoreQuirk(.productsHang)]
        let (patient, impatient) = (ProductList(shop.context), ProductList(shop.context))
        patient.load()
        impatient.load(givingUpAfter: 10, by: shop.store.clock)
        shop.store.advance(by: 30)
        #expect(patient.state == "loading")
        #expect(impatient.state == "try again")
        shop.store.advance(by: 150)
        #expect(patient.state == "coins, sword" && impatient.state == "coins, sword")
    }
}

extension Shop {
    /// Delivers and finishes a number of updates, and returns their products.
    fileprivate func deliveredByUpdates(_ count: Int) async -> [String] {
        await run {
            var delivered: [String] = []
            for update in await Transaction.updates.first(count) {
                guard case .verified(let transaction) = update else { continue }
                delivered.append(transaction.productID)
                await transaction.finish()
            }
            return delivered
        }
    }
}

/// A payment sheet that does not end.
private struct Sheet: Sendable {
    let store: SandboxStore
    let backend: AskedBackend
    let context: StoreContext
    private let coins: Product

    init() async throws {
        store = try SandboxStore(products: Shop.products, locale: "en_US", log: .silent)
        backend = AskedBackend(store)
        context = StoreContext(backend: backend, delivery: .inline, log: .silent)
        coins = try await context.run { try #require(try await Product.products(for: ["coins"]).first) }
        store.quirks = [.purchaseNeverReturns]
    }

    func buy() async throws -> Product.PurchaseResult { try await context.run { try await coins.purchase() } }
}

/// A backend that says when it has been asked.
private final class AskedBackend: ForwardingBackend {
    let backend: any StoreBackend
    private let orders = AsyncStream<Void>.makeStream()
    private let lookUps = AsyncStream<Void>.makeStream()

    init(_ backend: any StoreBackend) { self.backend = backend }

    func isOrdered() async { for await _ in orders.stream { return } }
    func isLookedUp() async { for await _ in lookUps.stream { return } }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands, reply: reply)
        orders.continuation.yield()
    }

    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        backend.products(identifiers, reply: reply)
        lookUps.continuation.yield()
    }
}

/// An app's page of products, with Store Kit 1.
private final class ProductList: NSObject, SKProductsRequestDelegate, @unchecked Sendable {  // unchecked: locked
    private let context: StoreContext
    private let shown = Locked("nothing")
    /// Used on the test's thread only.
    private var request: SKProductsRequest?

    init(_ context: StoreContext) { self.context = context }

    var state: String { shown.withLock { $0 } }

    func load() {
        shown.withLock { $0 = "loading" }
        let request = context.run { SKProductsRequest(productIdentifiers: ["coins", "sword"]) }
        request.delegate = self
        self.request = request
        request.start()
    }

    func load(givingUpAfter patience: TimeInterval, by clock: any StoreClock) {
        load()
        clock.schedule(at: clock.now + patience) { [self] in
            shown.withLock { if $0 == "loading" { $0 = "try again" } }
        }
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        let names = response.products.map(\.productIdentifier).sorted().joined(separator: ", ")
        shown.withLock { $0 = names }
    }
}
