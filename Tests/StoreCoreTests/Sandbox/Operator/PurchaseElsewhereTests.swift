import Foundation
import StoreCore
import Testing

/// What an account buys without an app's order.
@Suite struct PurchaseElsewhereTests {
    @Test func `B211: It is purchased in the queue of a running app at once`() throws {
        let (market, app) = try Market.withApp()
        let identifier = try market.store.account.buy("sword", quantity: 2, applicationUsername: "anna")
        market.store.settle()
        #expect(app.recorder.callbacks == [[.updated("sword", .purchased)], [.removed("sword")]])
        let transaction = try #require(app.recorder.transactions.first)
        #expect(transaction.transactionIdentifier == identifier)
        #expect(transaction.payment.quantity == 2 && transaction.payment.applicationUsername == "anna")
        #expect(try market.store.account.totalCharged == Decimal(string: "1.98"))
    }

    @Test func `B211: It comes to every device of the account, and leaves all when one has finished it`() throws {
        let market = try Market()
        let phone = App(on: market.store, finishes: false)
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.store.account), finishes: false)
        let other = App(on: try market.store.addDevice("other", signedInTo: try market.store.addAccount("bob")))
        try market.store.settle { try market.store.account.buy("sword") }
        for app in [phone, tablet] { #expect(app.recorder.callbacks == [[.updated("sword", .purchased)]]) }
        market.store.settle { tablet.queue.transactions.forEach(tablet.queue.finishTransaction) }
        for app in [phone, tablet] {
            #expect(app.recorder.callbacks == delivered("sword") && app.queue.transactions.isEmpty)
        }
        let late = App(on: try market.store.addDevice("late", signedInTo: market.store.account))
        #expect(late.recorder.callbacks == [] && other.recorder.callbacks == [])
    }

    @Test func `B211: An app that was not running finds it at its next launch, once`() throws {
        let market = try Market.reopened { try $0.store.account.buy("full.game") }
        #expect(App(on: market.store).recorder.callbacks == delivered("full.game"))
        #expect(App(on: market.store).recorder.callbacks == [])
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["full.game"])
    }

    @Test func `B106, B211: What is owned already costs nothing, and a subscription goes on`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game")
        try market.store.account.buy("full.game", "gold.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        let products = ["full.game", "full.game", "gold.monthly", "gold.monthly"]
        #expect(app.received == products.map { Heard.updated($0, .purchased) })
        #expect(try market.store.account.totalCharged == Decimal(string: "24.97"))
    }

    @Test func `B144, B211: What an order must not be, it must not be either`() throws {
        let market = try Market()
        try market.store.setAvailability(.withdrawn, of: "spear")
        let account = market.store.account
        for (product, quantity) in [("swrod", 1), ("spear", 1), ("sword", 0), ("sword", 11), ("full.game", 2)] {
            let failure = #expect(throws: StoreFailure.self) { try account.buy(product, quantity: quantity) }
            #expect(failure?.code == StoreFailure.Code.paymentInvalid.rawValue)
            #expect(failure?.reason.contains(product) == true)
        }
        #expect(try account.totalCharged == 0)
    }

    @Test func `B211: Nobody is asked about it, nothing interrupts it and no forced failure concerns it`() throws {
        let market = try Market(authorizer: .always(.cancel))
        try market.store.account.setAsksToBuy(true)
        try market.store.account.setInterruptsPurchases(true)
        market.store.purchaseFailure = .storeKit(.unknown, "the test wants it so")
        let app = App(on: market.store)
        try market.store.account.buy("sword")
        #expect(app.received == [.updated("sword", .purchased)])
    }

    @Test func `B102, B211: Finished, it restores as anything else`() throws {
        let market = try Market()
        let identifier = try market.store.account.buy("full.game")
        let app = App(on: market.store)
        app.restore()
        #expect(app.received == [.updated("full.game", .purchased), .updated("full.game", .restored)])
        #expect(app.recorder.transactions.last?.original?.transactionIdentifier == identifier)
    }

    @Test func `B186, B211: Until it is finished it stands in the receipt of every device that hears of it`() throws {
        let market = try Market()
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        try market.store.account.buy("sword")
        for device in [market.store.device, tablet] {
            #expect(try market.store.purchases(on: device).map(\.productIdentifier) == ["sword"])
        }
        _ = App(on: tablet)
        #expect(try market.store.purchases().isEmpty)
    }
}
