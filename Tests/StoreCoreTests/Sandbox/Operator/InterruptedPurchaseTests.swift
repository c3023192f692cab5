import Foundation
import StoreCore
import Testing

/// A purchase that its user has to do something for outside the app.
@Suite struct InterruptedPurchaseTests {
    private let market: Market

    init() throws {
        market = try Market()
        try market.account.setInterruptsPurchases(true)
    }

    private static let interrupted = calls(of: "sword", .purchasing, .failed)

    @Test func `B197, B209: It fails first, and a new transaction is purchased once it is resolved`() throws {
        let account = market.store.account
        let app = App(on: market.store)
        app.buy("sword", quantity: 3)
        #expect(app.recorder.callbacks == Self.interrupted)
        let failed = try #require(app.recorder.transactions.first)
        #expect(failed.trouble == .storeKit(.unknown) && failed.reason?.contains("sword") == true)
        #expect(try account.totalCharged == 0)
        let issue = try #require(market.store.interruptedPurchases.first)
        #expect(market.store.interruptedPurchases.count == 1)
        #expect(issue.transaction == "1" && issue.productIdentifier == "sword" && issue.quantity == 3)
        #expect(issue.account == "account" && issue.device == "device")

        try market.store.settle { try market.store.resolveInterruption(of: issue.transaction) }
        #expect(app.recorder.callbacks == Self.interrupted + delivered("sword"))
        let purchased = try #require(app.recorder.transactions.last)
        #expect(purchased.payment.quantity == 3)
        #expect(purchased.transactionIdentifier == "2" && purchased.original == nil)
        #expect(try account.totalCharged == Decimal(string: "2.97") && market.store.interruptedPurchases.isEmpty)
    }

    @Test func `B209: Resolving twice, or what was not interrupted, is an error that charges nothing`() throws {
        App(on: market.store).buy("sword")
        try market.store.resolveInterruption(of: "1")
        for identifier in ["1", "2", "one"] {
            #expect(throws: SandboxError(.notInterrupted(identifier))) {
                try market.store.resolveInterruption(of: identifier)
            }
        }
        #expect(SandboxError(.notInterrupted("one")).description.contains("one"))
        #expect(try market.store.account.totalCharged == Decimal(string: "0.99"))
    }

    @Test func `B197: What is resolved while the app is not running comes at its next launch`() throws {
        let journal = MemoryJournal()
        App(on: market.store, journal: journal).buy("full.game")
        try market.store.resolveInterruption(of: try #require(market.store.interruptedPurchases.first).transaction)
        #expect(App(on: market.store, journal: journal).recorder.callbacks == delivered("full.game"))
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["full.game"])
        #expect(App(on: market.store, journal: journal).recorder.callbacks == [])
    }

    @Test func `B197: The new transaction comes to the device where it was ordered, and to no other`() throws {
        let phone = App(on: market.store)
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.store.account))
        phone.buy("sword")
        try market.store.settle { try market.store.resolveInterruption(of: "1") }
        #expect(phone.received == [.updated("sword", .purchased)] && tablet.recorder.callbacks == [])
    }

    @Test func `B209: What waits outlives the store`() throws {
        let market = try Market.reopened { market in
            try market.store.account.setInterruptsPurchases(true)
            App(on: market.store).buy("gold.monthly")
        }
        #expect(market.store.account.interruptsPurchases)
        #expect(market.store.interruptedPurchases.map(\.productIdentifier) == ["gold.monthly"])
        #expect(market.store.account.subscriptions.isEmpty)
        try market.store.resolveInterruption(of: "1")
        #expect(App(on: market.store).received == [.updated("gold.monthly", .purchased)])
        #expect(market.store.account.subscription(inGroup: "metals")?.isRunning == true)
        #expect(try market.store.account.totalCharged == Decimal(string: "9.99"))
    }

    @Test func `B197, B208: What was approved for a child may be interrupted then`() throws {
        try market.store.account.setAsksToBuy(true)
        let app = App(on: market.store, buying: "sword")
        #expect(market.store.interruptedPurchases.isEmpty)
        try market.store.settle { try market.store.decide("1", as: .approve) }
        #expect(app.recorder.callbacks == calls(of: "sword", .purchasing, .deferred, .failed))
        #expect(market.store.undecidedRequests.isEmpty)
        try market.store.resolveInterruption(of: "1")
        #expect(app.received == [.updated("sword", .purchased)])
    }

    @Test func `B209: Only what the store would sell is interrupted, and only while it is switched on`() throws {
        let app = App(on: market.store, buying: "swrod")
        #expect(app.recorder.transactions.last?.trouble == .storeKit(.paymentInvalid))
        #expect(market.store.interruptedPurchases.isEmpty)
        try market.store.account.setInterruptsPurchases(false)
        app.buy("sword")
        #expect(app.received == [.updated("sword", .purchased)])
    }

    @Test func `What is not sold any more cannot be resolved, and goes on waiting`() throws {
        App(on: market.store).buy("sword")
        try market.store.setAvailability(.withdrawn, of: "sword")
        let failure = #expect(throws: StoreFailure.self) { try market.store.resolveInterruption(of: "1") }
        #expect(failure?.code == StoreFailure.Code.paymentInvalid.rawValue)
        try market.store.setAvailability(.onSale, of: "sword")
        try market.store.resolveInterruption(of: "1")
        #expect(market.store.interruptedPurchases.isEmpty)
    }

    @Test func `B149, B209: What was signed in time and interrupted gets its offer, however late`() throws {
        let shop = try OfferShop()
        try shop.subscribeElsewhere()
        try shop.account.setInterruptsPurchases(true)
        try shop.buy("gold", under: "winter")
        #expect(shop.metals == nil)
        try shop.at("2025-01-04T00:00:00Z").store.resolveInterruption(
            of: try #require(shop.store.interruptedPurchases.first).transaction
        )
        #expect(shop.store.interruptedPurchases.isEmpty && shop.metals?.offer?.identifier == "winter")
    }

    @Test func `B151, B209: What was interrupted goes on waiting where its offer is no bargain any more`() throws {
        let shop = try OfferShop()
        try shop.subscribeElsewhere()
        try shop.account.setInterruptsPurchases(true)
        try shop.buy("gold", under: "winter")
        let issue = try #require(shop.store.interruptedPurchases.first).transaction
        try shop.store.register(.autoRenewable("gold", price: "4.99", period: .init(1, .month), group: "metals"))
        let failure = #expect(throws: StoreFailure.self) { try shop.store.resolveInterruption(of: issue) }
        #expect(
            failure?.code == StoreFailure.Code.invalidOfferIdentifier.rawValue
                && shop.store.interruptedPurchases.count == 1
        )
    }
}
