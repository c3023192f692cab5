import Foundation
import StoreCore
import Testing

/// The one-line questions of a test.
@Suite struct TransactionHistoryTests {
    @Test func `B217: All transactions are there, also failed, waiting, renewed and finished ones`() throws {
        let market = try Market(authorizer: Authorizer { $0.productIdentifier == "full.game" ? .later : .approve })
        let app = App(on: market.store)
        app.buy("sword", "dragon", "full.game", "gold.monthly")
        let all = try market.at("2025-02-01T00:00:00Z").store.transactions
        #expect(all.map(\.productIdentifier) == ["sword", "dragon", "full.game", "gold.monthly", "gold.monthly"])
        #expect(all.map(\.state) == [.purchased, .failed, .purchasing, .purchased, .purchased])
        #expect(all.map(\.origin) == [.purchase, .purchase, .purchase, .purchase, .renewal])
        #expect(all.map(\.isFinished) == [true, true, false, true, true])
        #expect(all.map(\.original) == [nil, nil, nil, nil, "4"])
        #expect(all[1].failure?.code == SKError.Code.paymentInvalid.rawValue)
        #expect(all[4].expirationDate == Market.date("2025-03-01T00:00:00Z"))
    }

    @Test func `What waited and was decided says what became of it`() throws {
        let market = try Market(authorizer: .always(.later))
        let app = App(on: market.store, buying: "sword", "full.game")
        try market.store.decide("1", as: .approve)
        try market.store.decide("2", as: .cancel)
        app.queue.settle()
        let all = try market.store.transactions
        #expect(all.map(\.state) == [.purchased, .failed])
        #expect(all.map(\.chargedAmount) == [0.99, nil])
        #expect(all[1].failure?.code == SKError.Code.paymentCancelled.rawValue)
    }

    @Test func `The chain of a transaction is the same from each of its links`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game", "gold.monthly")
        market.advance(to: "2025-02-02T00:00:00Z")
        app.restore()
        #expect(try market.store.chain(of: "1").map(\.id) == ["1", "4"])
        for link in ["2", "3", "5", "6"] {
            #expect(try market.store.chain(of: link).map(\.id) == ["2", "3", "5", "6"], "\(link)")
        }
        #expect(try market.store.chain(of: "7").isEmpty && market.store.chain(of: "sword").isEmpty)
    }

    @Test func `An account's charges are what it paid for, and add up`() throws {
        let market = try Market()
        let bob = try market.store.addAccount("bob")
        let tablet = try market.store.addDevice("tablet", signedInTo: bob)
        let app = App(on: market.store)
        app.buy("full.game", "full.game", "dragon", "gold.monthly")
        App(on: tablet).buy("sword")
        let charges = try market.at("2025-02-01T00:00:00Z").store.account.charges
        #expect(charges.map(\.productIdentifier) == ["full.game", "gold.monthly", "gold.monthly"])
        #expect(charges.reduce(0) { $0 + ($1.chargedAmount ?? 0) } == (try market.store.account.totalCharged))
        #expect(try bob.charges.map(\.productIdentifier) == ["sword"])
        #expect(try bob.transactions.map(\.device) == ["tablet"])
    }

    @Test func `An entitlement says which purchase it rests on`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game", "full.game", "gold.monthly")
        market.advance(to: "2025-02-02T00:00:00Z")
        let entitlements = market.store.account.entitlements.sorted { $0.transaction < $1.transaction }
        try #require(entitlements.map(\.transaction) == ["1", "3"])
        let period = "the period from 2025-02-01 00:00:00 to 2025-03-01 00:00:00 is paid for"
        #expect(entitlements[0].description == "full.game: bought for good on 2025-01-01 00:00:00 as #1")
        #expect(entitlements[1].description == "gold.monthly: subscribed as #3, \(period)")
    }

    @Test func `What is unfinished on a device is what its queues are told`() throws {
        let market = try Market()
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        let app = App(on: market.store, finishes: false, buying: "sword", "gold.monthly")
        #expect(try market.at("2025-02-01T00:00:00Z").store.device.unfinished.map(\.id) == ["1", "2", "3"])
        #expect(try tablet.unfinished.map(\.id) == ["3"])
        app.queue.finishTransaction(app.queue.transactions[0])
        app.queue.settle()
        #expect(try market.store.device.unfinished.map(\.id) == ["2", "3"])
    }
}
