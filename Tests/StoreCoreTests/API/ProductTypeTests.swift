import Foundation
import StoreCore
import Testing

@Suite struct ProductTypeTests {
    @Test func `B118: A consumable is paid for each time`() throws {
        let (market, app) = try Market.withApp()
        app.buy("sword")
        app.buy("sword", quantity: 3)
        #expect(try market.store.account.totalCharged == Decimal(string: "3.96"))
        #expect(market.store.account.entitlements.isEmpty)
    }

    @Test func `B119: A non-consumable is the account's for good`() throws {
        let market = try Market()
        App(on: market.store).buy("full.game")
        market.advance(to: "2125-01-01T00:00:00Z")
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["full.game"])
        #expect(market.store.account.entitlements.map(\.expirationDate) == [nil])
    }

    @Test func `B122: A free subscription costs nothing, never expires and is there on all devices`() throws {
        let market = try Market(isNewsstandApp: true)
        App(on: market.store).buy("magazine")
        market.advance(to: "2125-01-01T00:00:00Z")
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["magazine"])
        #expect(market.store.account.entitlements.map(\.expirationDate) == [nil])
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.store.account))
        tablet.restore()
        #expect(tablet.received == [.updated("magazine", .restored)])
        #expect(try market.store.account.totalCharged == 0)
    }

    @Test func `B122: Outside the Newsstand a free subscription is refused`() throws {
        let market = try Market()
        let app = App(on: market.store)
        app.buy("magazine")
        let transaction = try #require(app.recorder.transactions.first)
        #expect(transaction.trouble == .storeKit(.paymentInvalid))
        #expect(transaction.reason?.contains("Newsstand") == true)
    }

    @Test func `B123: A non-renewing subscription is paid for each time, and neither renews nor restores`() throws {
        let (market, app) = try Market.withApp()
        app.buy("lessons")
        app.buy("lessons")
        market.advance(to: "2026-01-01T00:00:00Z")
        #expect(app.received == Array(repeating: .updated("lessons", .purchased), count: 2))
        #expect(try market.store.account.totalCharged == Decimal(string: "39.98"))
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.store.account))
        tablet.restore()
        #expect(tablet.received == [])
    }

    @Test func `B117: A product is known by its identifier, to look it up and to pay for it`() throws {
        let market = try Market()
        let answer = Locked<ProductsAnswer?>(nil)
        market.store.products(["full.game"]) { result in answer.withLock { $0 = try? result.get() } }
        #expect(answer.withLock { $0?.products.map(\.localizedTitle) } == ["Full game"])
        let app = App(on: market.store)
        app.buy("full.game")
        #expect(app.received == [.updated("full.game", .purchased)])
    }

    @Test func `B110: A restore for one of the app's users brings what was bought for that one or for nobody`() throws {
        let market = try Market()
        let app = App(on: market.store)
        for (product, user) in [("full.game", "ann"), ("gold.monthly", "bea"), ("pro.monthly", nil)] {
            let payment = SKMutablePayment(productIdentifier: product)
            payment.applicationUsername = user
            app.queue.add(payment)
            app.queue.settle()
        }
        app.recorder.clear()
        app.queue.restoreCompletedTransactions(withApplicationUsername: "ann")
        app.queue.settle()
        #expect(app.received == [.updated("full.game", .restored), .updated("pro.monthly", .restored)])
    }
}
