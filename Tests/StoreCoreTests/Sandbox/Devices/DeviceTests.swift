import Foundation
import StoreCore
import Testing

@Suite struct DeviceTests {
    private let market: Market

    init() throws { market = try Market() }

    @Test func `B119: A non-consumable bought on the phone is free on the tablet`() throws {
        let phone = App(on: market.store)
        phone.buy("full.game")
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.account))
        #expect(tablet.received == [])
        tablet.buy("full.game")
        #expect(tablet.received == [.updated("full.game", .purchased)])
        #expect(try market.account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `B102, B119, B120: What was bought on one device restores on another`() throws {
        let phone = App(on: market.store, buying: "full.game", "gold.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.account))
        tablet.restore()
        let products = ["full.game", "gold.monthly", "gold.monthly"]
        #expect(tablet.received == products.map { Heard.updated($0, .restored) })
        let (restored, bought) = (tablet.recorder.transactions, phone.recorder.transactions)
        #expect(restored.map { $0.original?.transactionIdentifier } == bought.map(\.transactionIdentifier))
        #expect(restored.map { $0.original?.transactionDate } == bought.map(\.transactionDate))
    }

    @Test func `Another account sees nothing of what one has bought`() throws {
        App(on: market.store).buy("full.game")
        let bob = try market.store.addAccount("bob")
        let app = App(on: try market.store.addDevice("bob's", signedInTo: bob))
        app.restore()
        #expect(app.received == [] && bob.entitlements.isEmpty)
        app.buy("full.game")
        #expect(try bob.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `B120: A renewal comes to all running devices, and leaves all when one has finished it`() throws {
        let phone = App(on: market.store, finishes: false)
        let tablet = App(on: try market.store.addDevice("tablet", signedInTo: market.account), finishes: false)
        phone.buy("gold.monthly")
        #expect(tablet.received == [])
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(tablet.received == [.updated("gold.monthly", .purchased)])
        let renewal = try #require(tablet.queue.transactions.first)
        #expect(phone.queue.transactions.contains { $0.transactionIdentifier == renewal.transactionIdentifier })
        tablet.queue.finishTransaction(renewal)
        tablet.queue.settle()
        #expect(phone.queue.transactions.count == 1 && phone.recorder.history.last == .removed("gold.monthly"))
    }

    @Test func `A device is known by its name in a store opened on the ledger again`() throws {
        let again = try Market.reopened { market in
            let alice = try market.store.addAccount("alice")
            App(on: try market.store.addDevice("phone", signedInTo: alice), finishes: false).buy("full.game")
        }
        #expect(again.store.accounts.map(\.name) == ["account", "alice"])
        #expect(again.store.devices.map(\.name) == ["device", "phone"])
        let phone = try #require(again.store.device(named: "phone"))
        #expect(phone.account == again.store.account(named: "alice"))
        #expect(App(on: phone).received == [.updated("full.game", .purchased)])
    }

    @Test func `Names are given once and are not empty, and accounts stay in their store`() throws {
        let store = try Market().store
        for name in ["", "account"] { #expect(throws: SandboxError(.nameTaken(name))) { try store.addAccount(name) } }
        for name in ["", "device"] {
            #expect(throws: SandboxError(.nameTaken(name))) { try store.addDevice(name, signedInTo: nil) }
        }
        let other = try Market().store.account
        #expect(throws: SandboxError(.foreignAccount("account"))) { try store.addDevice("phone", signedInTo: other) }
        #expect(throws: SandboxError(.foreignAccount("account"))) { try store.device.signIn(to: other) }
        #expect(store.devices.count == 1)
    }

    @Test func `Only the restricted device may not pay`() throws {
        let tablet = try market.store.addDevice("tablet", signedInTo: market.account)
        try tablet.setPaymentsAllowed(false)
        #expect(!tablet.canMakePayments && market.store.canMakePayments)
        let app = App(on: tablet, buying: "sword")
        #expect(app.recorder.transactions.first?.trouble == .storeKit(.paymentNotAllowed))
    }

    @Test func `One device is out of reach while the other buys`() throws {
        let tablet = try market.store.addDevice("tablet", signedInTo: market.account)
        let (away, here) = (App(on: tablet), App(on: market.store))
        tablet.isReachable = false
        away.buy("sword")
        here.buy("shield")
        #expect(away.received == [] && here.received == [.updated("shield", .purchased)])
        tablet.isReachable = true
        market.clock.advance(by: 600)
        #expect(away.received == [.updated("sword", .purchased)])
    }
}
