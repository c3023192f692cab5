import Foundation
import StoreCore
import Testing

/// Somebody else decides about what an account orders.
@Suite struct AskToBuyTests {
    private let market: Market

    init() throws {
        market = try Market()
        try market.account.setAsksToBuy(true)
    }

    @Test func `B152, B208: What a child orders is deferred, and purchased once it is approved`() throws {
        let app = App(on: market.store)
        app.buy("sword", quantity: 2)
        let request = try #require(market.account.undecidedRequests.first)
        #expect(market.store.undecidedRequests == [request])
        #expect(request.quantity == 2 && request.total == Decimal(string: "1.98"))
        #expect(try market.account.totalCharged == 0)
        try market.store.settle { try market.store.approve(request) }
        #expect(app.recorder.callbacks == calls(of: "sword", .purchasing, .deferred, .purchased))
        #expect(try market.account.totalCharged == Decimal(string: "1.98") && market.store.undecidedRequests.isEmpty)
    }

    @Test func `B152, B208: What is declined fails, and nothing is charged`() throws {
        let app = App(on: market.store, buying: "full.game")
        try market.store.decline(try #require(market.account.undecidedRequests.first))
        market.store.settle()
        #expect(app.recorder.callbacks == calls(of: "full.game", .purchasing, .deferred, .failed))
        #expect(app.recorder.transactions.first?.trouble == .storeKit(.unknown))
        #expect(try market.account.totalCharged == 0 && market.account.entitlements.isEmpty)
    }

    @Test func `B204: Nobody is asked unless it is switched on, and no longer once it is off`() throws {
        let (market, app) = try Market.withApp()
        #expect(!market.account.asksToBuy)
        app.buy("sword")
        try market.account.setAsksToBuy(true)
        #expect(market.account.asksToBuy)
        app.buy("shield")
        try market.account.setAsksToBuy(false)
        app.buy("spear")
        #expect(app.received == [.updated("sword", .purchased), .updated("spear", .purchased)])
        #expect(market.store.undecidedRequests.map(\.productIdentifier) == ["shield"])
    }

    @Test func `B152: Only the child is asked about, and its list holds only what it ordered`() throws {
        let market = try Market()
        let child = try market.store.addAccount("child")
        try child.setAsksToBuy(true)
        let childs = App(on: try market.store.addDevice("tablet", signedInTo: child))
        let parents = App(on: market.store, buying: "sword")
        childs.buy("shield")
        #expect(parents.received == [.updated("sword", .purchased)])
        #expect(child.undecidedRequests.map(\.productIdentifier) == ["shield"])
        #expect(child.undecidedRequests.map(\.account) == ["child"] && market.account.undecidedRequests.isEmpty)
    }

    @Test func `B19: The child's own answer comes first, and may be no`() throws {
        let market = try Market(authorizer: .always(.cancel))
        try market.account.setAsksToBuy(true)
        let app = App(on: market.store, buying: "sword")
        #expect(market.store.undecidedRequests.isEmpty)
        #expect(app.recorder.transactions.first?.trouble == .storeKit(.paymentCancelled))
    }

    @Test(arguments: [Authorization.approve, .decline()])
    func `B152: What is decided while the app does not run is heard at its next launch`(answer: Authorization) throws {
        let journal = MemoryJournal()
        var app: App? = App(on: market.store, journal: journal)
        app?.buy("full.game")
        app = nil
        try market.store.decide(try #require(market.store.undecidedRequests.first).transaction, as: answer)
        let state: SKPaymentTransactionState = answer == .approve ? .purchased : .failed
        #expect(App(on: market.store, journal: journal).recorder.callbacks == calls(of: "full.game", state))
        #expect(App(on: market.store, journal: journal).recorder.callbacks == [])
    }

    @Test func `B152: What waits outlives app and store, and so does the wish to be asked`() throws {
        let journal = MemoryJournal()
        let market = try Market.reopened { market in
            try market.account.setAsksToBuy(true)
            App(on: market.store, journal: journal).buy("full.game")
        }
        #expect(market.account.asksToBuy)
        let app = App(on: market.store, journal: journal)
        #expect(app.recorder.callbacks == [[.updated("full.game", .deferred)]])
        try market.store.decide(try #require(market.account.undecidedRequests.first).transaction, as: .approve)
        market.store.settle()
        #expect(app.recorder.callbacks == calls(of: "full.game", .deferred, .purchased))
        app.buy("sword")
        #expect(market.store.undecidedRequests.map(\.productIdentifier) == ["sword"])
    }

    @Test func `B152: What was taken off sale while it waited fails when it is approved, and costs nothing`() throws {
        let app = App(on: market.store, buying: "sword", "shield")
        try market.store.setAvailability(.withdrawn, of: "sword")
        for number in ["1", "2"] { try market.store.decide(number, as: .approve) }
        market.store.settle()
        #expect(app.recorder.history(of: "sword").suffix(2) == [.updated("sword", .failed), .removed("sword")])
        #expect(app.recorder.history(of: "shield").suffix(2) == [.updated("shield", .purchased), .removed("shield")])
        #expect(app.recorder.transactions.compactMap(\.trouble) == [.storeKit(.paymentInvalid)])
        #expect(try market.account.charges.map(\.productIdentifier) == ["shield"])
    }
}
