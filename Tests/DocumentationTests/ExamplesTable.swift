// The lines of the table in the article "What a test can make happen", compiled and run.
import Foundation
import StoreContract
import StoreCore
import StoreKit
import Testing

/// A store that sells a bit of everything, and an app on it.
private struct Simulation {
    let clock = ManualClock()
    let store: SandboxStore
    let injector: FaultInjector
    let queue: SKPaymentQueue
    let till = Till()

    /// A generic product, which is sold by requests.
    private static var books: SandboxProduct {
        var books = SandboxProduct.consumable("books", price: "0.29")
        books.isAdvancedCommerce = true
        return books
    }

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99").redeemable(with: "SWORDS", price: "0.49"),
                .nonConsumable("full.game", price: "4.99"),
                Self.books,
                .nonConsumable("level.2", price: "1.99").hosting(Data("0123456789".utf8)),
                .autoRenewable("pro.yearly", price: "49.99", period: .init(1, .year), group: "years")
                    .billedMonthly(price: "4.99"),
                .autoRenewable(
                    "pro.monthly",
                    price: "4.99",
                    period: .init(1, .month),
                    group: "pro",
                    introductoryOffer: .freeTrial(.init(1, .week)),
                    promotionalOffers: [.payUpFront(price: "9.99", for: .init(3, .month), identifier: "winter")],
                    offerCodes: [.freeTrial(.months(1), identifier: "FRIENDS", eligibility: .new)],
                    winBackOffers: [.freeTrial(.months(1), identifier: "come.back")]
                ),
            ],
            clock: clock
        )
        injector = FaultInjector(store)
        queue = SKPaymentQueue(backend: injector, delivery: .inline, log: .silent)
        queue.add(till)
    }

    /// The codes of the errors that the app has seen.
    var codes: [Int] { till.errors.map { ($0 as NSError).code } }
}

@Test func `Purchases end as the table says`() throws {
    let world = try Simulation()
    let (store, queue) = (world.store, world.queue)
    let sword = SKPayment(productIdentifier: "sword")
    queue.add(sword)
    store.authorizer = .always(.cancel)
    queue.add(sword)
    store.authorizer = .always(.decline())
    queue.add(sword)
    store.authorizer = .approving
    try store.setPaymentsAllowed(false)
    queue.add(sword)
    try store.setPaymentsAllowed(true)
    let failure = StoreFailure(URLError(.timedOut))
    store.purchaseFailure = failure
    queue.add(sword)
    #expect(world.codes == [2, 0, 4, URLError.timedOut.rawValue])
    store.purchaseFailure = nil
    try store.setAvailability(.withdrawn, of: "sword")
    queue.add(sword)
    #expect(world.codes.last == SKError.Code.paymentInvalid.rawValue)
    #expect(world.till.delivered == ["sword"])
}

@Test func `Purchases wait and come from elsewhere as the table says`() throws {
    let world = try Simulation()
    let (store, queue) = (world.store, world.queue)
    let sword = SKPayment(productIdentifier: "sword")
    try store.account.setAsksToBuy(true)
    queue.add(sword)
    queue.add(sword)
    try store.approve(store.undecidedRequests[0])
    try store.decline(store.undecidedRequests[0])
    try store.account.setAsksToBuy(false)
    let payment = SKMutablePayment(productIdentifier: "sword")
    payment.simulatesAskToBuyInSandbox = true
    queue.add(payment)
    #expect(queue.transactions.map(\.transactionState) == [.deferred])
    try store.account.setInterruptsPurchases(true)
    queue.add(sword)
    try store.resolveInterruption(of: store.interruptedPurchases[0].transaction)
    try store.account.setInterruptsPurchases(false)
    try store.account.buy("full.game")
    try store.device.promote("sword")
    #expect(world.till.delivered == ["sword", "sword", "full.game"])
    #expect(world.codes == [0, 0])
}

@Test func `A server sets a price as the table says`() throws {
    let store = try Simulation().store
    let request = Data(
        #"""
        {"operation": "CREATE_ONE_TIME_CHARGE", "version": "1", "currency": "USD", "taxCode": "C003-00-2",
        "requestInfo": {"requestReferenceId": "f55df048-4cd8-4261-b404-b6f813ff70e5"},
        "item": {"SKU": "BOOK", "displayName": "A Book", "description": "All of its pages", "price": 4990}}
        """#.utf8
    )
    try store.account.buy("books", compactJWS: store.signedRequest(request))
    #expect(try store.account.totalCharged == Decimal(string: "4.99"))
}

@Test func `Subscriptions and offers run as the table says`() throws {
    let world = try Simulation()
    let (store, queue, clock) = (world.store, world.queue, world.clock)
    store.codeEntry = .redeem(code: "FRIENDS")
    queue.presentCodeRedemptionSheet()
    let payment = SKMutablePayment(productIdentifier: "pro.monthly")
    payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("winter", for: "pro.monthly"))
    queue.add(payment)
    store.advance(by: .yearly)
    #expect(world.till.delivered.count > 9)
    try store.account.setAutoRenew(false, inGroup: "pro")
    try store.account.setAutoRenew(true, inGroup: "pro")
    try store.account.setAutoRenew(false, inGroup: "pro")
    clock.advance(to: try #require(store.account.subscription(inGroup: "pro")).expirationDate)
    #expect(store.account.entitlements.isEmpty)
    try store.account.redeemWinBackOffer("come.back", of: "pro.monthly")
    #expect(store.account.subscription(inGroup: "pro")?.offer?.identifier == "come.back")
    var monthly = StorePayment(productIdentifier: "pro.yearly")
    monthly.billingPlan = .monthly
    _ = try store.account.buy(monthly)
    #expect(store.account.subscription(inGroup: "years")?.commitment?.remainingPayments == 11)
}

@Test func `Billing goes wrong, and prices go up, as the table says`() throws {
    let world = try Simulation()
    let (store, queue) = (world.store, world.queue)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    store.quirks = [.repeatedSubscriptionFails]
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    #expect(world.codes == [SKError.Code.unknown.rawValue])
    try store.setRenewalLimit(12)
    try store.setGrantsGracePeriod(true)
    try store.account.setBillingFails(true)
    store.advance(by: 10 * 86_400)
    #expect(store.account.entitlements.map(\.isInGracePeriod) == [true])
    try store.account.resolveBillingIssue(inGroup: "pro")
    try store.account.setBillingFails(false)
    #expect(world.till.delivered.count == 2)
    try store.raisePrice(of: "pro.monthly", to: "5.99")
    try store.account.answerPriceConsent(.agree, inGroup: "pro")
    try store.account.forceRenewal(inGroup: "pro")
    #expect(try store.transactions.last?.chargedAmount == Decimal(string: "5.99"))
    try store.account.requestPriceIncreaseConsent(inGroup: "pro")
    try store.account.answerPriceConsent(.decline, inGroup: "pro")
    #expect(store.account.subscription(inGroup: "pro")?.willRenew == false)
    try store.account.expireSubscription(inGroup: "pro")
    #expect(store.account.entitlements.isEmpty)
}

@Test func `A code is redeemed outside the app as the table says`() throws {
    let world = try Simulation()
    let store = world.store
    #expect(store.device.appReceipt == nil)
    try store.account.redeem(code: "FRIENDS")
    try store.account.redeem(code: "SWORDS")
    #expect(world.till.delivered == ["pro.monthly", "sword"])
    #expect(try store.account.totalCharged == Decimal(string: "0.49"))
    #expect(store.device.appReceipt != nil)
}

@Test func `The app itself was bought as the table says`() throws {
    let store = try Simulation().store
    try store.setAppPurchase(AppPurchase(version: "2.1"))
    #expect(try store.device.signedAppTransaction.payload.originalApplicationVersion == "2.1")
}

@Test func `The app sells outside of the store as the table says`() async throws {
    let store = try Simulation().store
    store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true)
    store.continuesToExternalPurchases = false
    let result = try await StoreContext(backend: store, log: .silent).run {
        try await ExternalPurchase.presentNoticeSheet()
    }
    #expect(result == .cancelled)
    #expect(store.externalPurchaseTokens.isEmpty)
    #expect(store.externalPurchaseReports.isEmpty)
    store.externalPurchases.paymentBinding = .bound
}

@Test func `People, places and launches are as the table says`() throws {
    let world = try Simulation()
    var (store, queue) = (world.store, world.queue)
    let alice = try store.addAccount("alice")
    let phone = try store.addDevice("phone", signedInTo: alice)
    try phone.signIn(to: store.account)
    try phone.signOut()
    try store.setStorefront("DEU")
    store.locale = "de_DE"
    store.ageRatingCode = 618
    #expect(queue.storefront?.countryCode == "DEU")
    store.isReachable = false
    phone.isReachable = false
    store.isReachable = true
    store.failDownload(of: "level.2", at: .afterBytes(3), with: .network(.timedOut, "a slow night"))
    store.downloadPace = .bytesPerSecond(5)
    queue = queue.relaunch()
    let ledger = MemoryLedger()
    store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: ledger)
    #expect(try store.transactions.isEmpty)
    #expect(store.account.entitlements.isEmpty)
    #expect(try store.device.unfinished.isEmpty)
    #expect(try store.account.totalCharged == 0)
    print(try store.timeline)
}

@Test func `Any error comes at any point as the table says`() throws {
    let world = try Simulation()
    let (store, injector, queue) = (world.store, world.injector, world.queue)
    let failure = StoreFailure(SKError(.cloudServiceNetworkConnectionFailed))
    injector.add(.fail(failure), at: .productsRequest)
    injector.add(.fail(failure), at: .submission, when: .purchases, times: 1)
    injector.add(.loseAnswer, at: .submission, when: .purchases, times: 1)
    injector.add(.fail(failure), at: .reply, when: .purchases, times: 1)
    injector.add(.fail(failure), at: .update, times: 1)
    injector.add(.fail(failure), at: .submission, when: .finishes, times: 1)
    injector.add(.hold, at: .update, when: .product("full.game"))
    injector.add(.fail(failure), at: .submission, when: .restores, times: 1)
    store.failRestores(with: failure, after: 1)
    injector.add(.fail(failure), at: .receiptRequest)
    injector.add(.fail(failure), at: .downloadChunk, times: 1)
    injector.add(.fail(failure), at: .storefrontRead)
    queue.add(SKPayment(productIdentifier: "sword"))
    store.advance(by: 3600)
    #expect(queue.storefront == nil)
    #expect(world.till.delivered == ["sword"])
    #expect(try store.account.charges.count == 1)
}
