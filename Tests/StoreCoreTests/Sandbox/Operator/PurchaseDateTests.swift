import Foundation
import StoreCore
import Testing

/// Purchases that a test dates in the past.
@Suite struct PurchaseDateTests {
    private let market: Market
    private let app: App
    private var account: SandboxAccount { market.store.account }
    private var metals: SandboxSubscription? { account.subscription(inGroup: "metals") }

    init() throws {
        market = try Market(on: "2025-06-15T00:00:00Z")
        market.store.acceptsTestPurchases = true
        app = App(on: market.store)
    }

    private func order(_ product: String, on date: String, renewsUntilNow: Bool = false, in app: App? = nil) {
        (app ?? self.app).order(product) { payment in
            payment.purchaseDate = Market.date(date)
            payment.renewsUntilNow = renewsUntilNow
        }
    }

    private var lastTrouble: Trouble? { app.recorder.transactions.last?.trouble }

    private func dates(_ transactions: [SandboxTransaction]) -> [Date] { transactions.map(\.date) }

    // MARK: One purchase

    @Test func `A purchase in the past has its date in the queue, the history and the receipt`() throws {
        order("full.game", on: "2024-02-29T12:00:00Z")
        let date = Market.date("2024-02-29T12:00:00Z")
        #expect(app.received == [.updated("full.game", .purchased)])
        #expect(app.recorder.transactions.last?.transactionDate == date)
        #expect(try account.transactions.map(\.date) == [date])
        #expect(account.entitlements.map(\.startDate) == [date])
        #expect(try market.store.purchases().map(\.purchaseDate) == [date])
    }

    @Test func `A store sells nothing in the past unless it accepts test purchases`() throws {
        market.store.acceptsTestPurchases = false
        order("sword", on: "2024-01-01T00:00:00Z")
        #expect(try lastTrouble == .storeKit(.paymentInvalid) && account.totalCharged == 0)
        #expect(try dates(account.transactions) == days("2025-06-15"))
    }

    @Test func `A purchase in the future, or before all time, is refused`() throws {
        order("sword", on: "2025-06-15T00:00:01Z")
        #expect(lastTrouble == .storeKit(.paymentInvalid))
        app.order("gold.monthly") { $0.purchaseDate = .distantPast - 1 }
        #expect(lastTrouble == .storeKit(.paymentInvalid))
        order("sword", on: "2025-06-15T00:00:00Z")
        #expect(app.recorder.transactions.last?.transactionState == .purchased)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity], ["sword", "gold.monthly"])
    func `A purchase at no date is refused, and written down`(seconds: Double, product: String) throws {
        app.order(product) {
            $0.purchaseDate = Date(timeIntervalSinceReferenceDate: seconds)
            $0.renewsUntilNow = true
        }
        #expect(app.recorder.transactions.last?.transactionState == .failed)
        #expect(try lastTrouble == .storeKit(.paymentInvalid) && account.totalCharged == 0)
        var payment = StorePayment(productIdentifier: product)
        payment.purchaseDate = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try JSONDecoder().decode(StorePayment.self, from: JSONEncoder().encode(payment)) == payment)
    }

    // MARK: Subscriptions

    @Test func `A subscription in the past is renewed until now, in one go`() throws {
        order("gold.monthly", on: "2025-01-31T00:00:00Z", renewsUntilNow: true)
        #expect(app.received == Array(repeating: .updated("gold.monthly", .purchased), count: 5))
        let ends = days("2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31")
        #expect(try dates(account.transactions) == ends)
        #expect(try account.transactions.map(\.origin) == [.purchase] + Array(repeating: .renewal, count: 4))
        #expect(metals?.expirationDate == Market.date("2025-06-30T00:00:00Z") && metals?.willRenew == true)
        #expect(metals?.recentSubscriptionStartDate == Market.date("2025-01-31T00:00:00Z"))
        #expect(try account.totalCharged == Decimal(string: "49.95"))
        #expect(try market.at("2025-07-01T00:00:00Z").account.transactions.count == 6)
    }

    @Test func `A subscription in the past that is not renewed has one period, which is over`() throws {
        order("gold.monthly", on: "2025-01-31T00:00:00Z")
        #expect(app.received == [.updated("gold.monthly", .purchased)])
        #expect(metals?.isRunning == false && metals?.endReason == .autoRenewDisabled)
        #expect(metals?.expirationDate == Market.date("2025-02-28T00:00:00Z"))
        #expect(try account.totalCharged == Decimal(string: "9.99"))
    }

    @Test func `One period that is not over yet runs until its end`() throws {
        order("gold.monthly", on: "2025-06-01T00:00:00Z")
        #expect(metals?.isRunning == true && metals?.willRenew == false)
        #expect(try market.at("2025-07-02T00:00:00Z").metals?.isRunning == false && account.transactions.count == 1)
    }

    @Test func `After a subscription that has ended, the next one begins where it is dated`() throws {
        order("gold.monthly", on: "2025-01-01T00:00:00Z")
        order("silver.monthly", on: "2025-04-01T00:00:00Z", renewsUntilNow: true)
        #expect(metals?.productIdentifier == "silver.monthly")
        #expect(metals?.periodStart == Market.date("2025-06-01T00:00:00Z") && metals?.originalTransaction == "1")
    }

    @Test func `Within the running period, a higher level is dated then and replaces it`() throws {
        order("silver.monthly", on: "2025-06-01T00:00:00Z", renewsUntilNow: true)
        order("gold.monthly", on: "2025-06-10T00:00:00Z", renewsUntilNow: true)
        #expect(metals?.productIdentifier == "gold.monthly")
        #expect(metals?.expirationDate == Market.date("2025-07-10T00:00:00Z"))
    }

    @Test(arguments: [true, false])
    func `A subscription is not dated before one of its group that the account has had`(isRunning: Bool) throws {
        order("gold.monthly", on: "2025-05-20T00:00:00Z", renewsUntilNow: isRunning)
        if !isRunning { market.advance(to: "2025-06-25T00:00:00Z") }
        order("silver.monthly", on: isRunning ? "2025-05-01T00:00:00Z" : "2025-06-01T00:00:00Z")
        #expect(lastTrouble == .storeKit(.paymentInvalid) && metals?.productIdentifier == "gold.monthly")
        #expect(try account.totalCharged == Decimal(string: "9.99"))
    }

    @Test func `A subscription of more renewals than a clock may bring at once is refused`() throws {
        let daily = SandboxProduct.autoRenewable("daily", price: "0.10", period: .init(1, .day), group: "days")
        try market.store.register(daily)
        order("daily", on: "1990-01-01T00:00:00Z", renewsUntilNow: true)
        #expect(lastTrouble == .storeKit(.paymentInvalid))
        order("daily", on: "1990-01-01T00:00:00Z")
        #expect(app.recorder.transactions.last?.transactionState == .purchased)
    }

    @Test func `Renewals in the past are shared with the family, one by one`() throws {
        let home = try Household()
        home.store.acceptsTestPurchases = true
        order("tv.monthly", on: "2024-10-15T00:00:00Z", renewsUntilNow: true, in: home.annasApp)
        #expect(home.annasApp.received.count == 3)
        #expect(home.bobsApp.received == Array(repeating: .updated("tv.monthly", .purchased), count: 3))
        #expect(try dates(home.bob.transactions) == dates(home.anna.transactions))
    }

    // MARK: Orders

    @Test(arguments: [false, true])
    func `An order that waits is dated in the past, and renewed until it is approved`(asksAgain: Bool) throws {
        let authorizer = Authorizer.always(asksAgain ? .askToBuy : .approve)
        let market = try Market(on: "2025-06-15T00:00:00Z", authorizer: authorizer)
        market.store.acceptsTestPurchases = true
        let app = App(on: market.store)
        order("gold.monthly", on: "2025-03-01T00:00:00Z", renewsUntilNow: true, in: app)
        if asksAgain {
            #expect(app.received == [])
            try market.store.decide(try #require(market.store.undecidedRequests.first).transaction, as: .approve)
            market.store.settle()
        }
        #expect(app.received == Array(repeating: .updated("gold.monthly", .purchased), count: 4))
        let begins = days("2025-03-01", "2025-04-01", "2025-05-01", "2025-06-01")
        #expect(try dates(market.store.account.transactions) == begins)
    }

    @Test func `An order that waits and is not renewed has one period`() throws {
        let market = try Market(on: "2025-06-15T00:00:00Z", authorizer: .always(.approve))
        market.store.acceptsTestPurchases = true
        let app = App(on: market.store)
        order("gold.monthly", on: "2025-03-01T00:00:00Z", in: app)
        #expect(app.received == [.updated("gold.monthly", .purchased)])
        #expect(market.store.account.subscription(inGroup: "metals")?.isRunning == false)
    }

    @Test func `An interrupted order goes through when it is resolved, and is dated then`() throws {
        try account.setInterruptsPurchases(true)
        order("full.game", on: "2025-01-01T00:00:00Z")
        try market.store.resolveInterruption(of: try #require(market.store.interruptedPurchases.first).transaction)
        #expect(try dates(account.transactions) == days("2025-06-15", "2025-06-15"))
        #expect(account.entitlements.map(\.productIdentifier) == ["full.game"])
    }

    @Test func `An order in the past that is handed over twice is sold once`() throws {
        var payment = StorePayment(productIdentifier: "gold.monthly")
        payment.purchaseDate = Market.date("2025-01-01T00:00:00Z")
        payment.renewsUntilNow = true
        let commands = UpdateRecorder().commands(.purchase(payment))
        #expect(market.store.submit(commands) == .taken)
        let before = try account.transactions
        #expect(market.store.submit(commands) == .taken)
        #expect(try account.transactions == before && before.count == 6)
    }

    @Test func `Orders of one submission are sold in their order, whatever their dates`() throws {
        market.store.isReachable = false
        order("gold.monthly", on: "2025-04-01T00:00:00Z", renewsUntilNow: true)
        app.buy("sword")
        order("shield", on: "2020-01-01T00:00:00Z")
        market.store.isReachable = true
        let products = try market.after(3600).account.transactions.map(\.productIdentifier)
        #expect(products == ["gold.monthly", "gold.monthly", "gold.monthly", "sword", "shield"])
        #expect(try account.transactions.allSatisfy { $0.state == .purchased })
    }

    @Test func `A store opened again on its ledger has the same history`() throws {
        order("gold.monthly", on: "2025-01-31T00:00:00Z", renewsUntilNow: true)
        order("sword", on: "2020-01-01T00:00:00Z")
        app.buy("sword")
        let after = try Market(on: "2025-06-15T00:00:00Z", ledger: market.ledger)
        #expect(try after.store.account.transactions == account.transactions)
        #expect(after.store.account.subscriptions == account.subscriptions)
    }
}
