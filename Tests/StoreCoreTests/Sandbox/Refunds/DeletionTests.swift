import Foundation
import StoreCore
import Testing

/// Transactions that are made as if they had never been.
@Suite struct DeletionTests {
    private let market: Market
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { market = try Market() }

    /// The products in the first device's receipt.
    private var inReceipt: [String] { get throws { try store.purchases().map(\.productIdentifier) } }

    /// Deletes a transaction and returns what becomes of the subscription.
    private func delete(_ identifier: String) throws -> SandboxSubscription? {
        try store.deleteTransaction(identifier)
        return account.subscription(inGroup: "metals")
    }

    // MARK: One

    @Test func `B218: A purchase that is deleted is nowhere any more, and can be made afresh`() throws {
        let app = App(on: store, buying: "full.game", "sword")
        #expect(try app.told { try store.deleteTransaction("1") } == [])
        #expect(try store.transactions.map(\.id) == ["2"] && store.chain(of: "1") == [])
        #expect(try account.entitlements == [] && inReceipt == [])
        #expect(try account.totalCharged == Decimal(string: "0.99"))
        app.restore()
        app.buy("full.game")
        #expect(app.recorder.callbacks == [[.restoreFinished]] + calls(of: "full.game", .purchasing, .purchased))
        #expect(try account.totalCharged == Decimal(string: "5.98"))
        #expect(account.entitlements.map(\.transaction) == ["3"])
    }

    @Test func `B218: One that is not finished leaves the queues of all who had heard of it`() throws {
        let tablet = try store.addDevice("tablet", signedInTo: account)
        let apps = [App(on: store, finishes: false), App(on: tablet, finishes: false)]
        try account.buy("sword")
        try store.deleteTransaction("1")
        for app in apps { #expect(app.recorder.callbacks == delivered("sword") && app.queue.transactions.isEmpty) }
        #expect(App(on: store).recorder.callbacks == [])
        #expect(try inReceipt == [])
    }

    @Test(arguments: [true, false])
    func `B218: A queue that did not ask for its news yet hears nothing of what was deleted`(deletesAll: Bool) throws {
        let reader = UpdateReader(store)
        reader.read()
        try account.buy("sword", "full.game")
        try store.refund("2")
        if deletesAll { try store.clearTransactions() } else { try store.deleteTransaction("1") }
        #expect(reader.rings == 1)
        #expect(reader.read() == (deletesAll ? [] : ["full.game"]))
        #expect(reader.revocations == (deletesAll ? 0 : 1))
    }

    @Test func `B218: The rest of a snapshot does not tell of what has been deleted since it was begun`() throws {
        for _ in 1...300 { try account.buy("sword") }
        let reader = UpdateReader(store)
        #expect(reader.read().count == 256)
        try store.deleteTransaction("299")
        #expect(reader.read().count == 43)
    }

    @Test func `B218: An order that waits for a decision can be deleted, and is never decided`() throws {
        store.authorizer = .always(.askToBuy)
        let app = App(on: store, buying: "full.game")
        try store.deleteTransaction("1")
        #expect(
            app.recorder.callbacks == calls(of: "full.game", .purchasing, .deferred) && account.undecidedRequests == []
        )
        #expect(throws: SandboxError.self) { try store.decide("1", as: .approve) }
        #expect(try account.totalCharged == 0)
    }

    @Test func `B218: Renewals and restores of it go with it, and an introductory offer is open again`() throws {
        let trial = SandboxProduct.Offer.freeTrial(.init(1, .week))
        let club = Market.subscription("club", level: 1, price: "4.99", .init(1, .month), offer: trial)
        let market = try Market([club])
        let (store, account) = (market.store, market.store.account)
        let app = App(on: store, buying: "club")
        market.advance(to: "2025-01-10T00:00:00Z")
        app.restore()
        #expect(try store.transactions.count == 4)
        try store.deleteTransaction("1")
        #expect(try store.transactions == [])
        #expect(account.subscriptions == [] && account.entitlements == [])
        #expect(app.told { market.advance(to: "2025-04-10T00:00:00Z") } == [])
        app.buy("club")
        #expect(market.metals?.introductoryOffer == .freeTrial && market.metals?.originalTransaction == "5")
        #expect(try account.totalCharged == 0)
    }

    @Test func `B218: Without its running period a subscription is over, and without another one it goes on`() throws {
        let app = App(on: store, buying: "gold.monthly")
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(try delete("2")?.isRunning == true)
        app.recorder.clear()
        #expect(try delete("3")?.endReason == .revoked)
        #expect(app.recorder.callbacks == [])
        #expect(try store.transactions.map(\.id) == ["1"] && inReceipt == ["gold.monthly"])
        #expect(try market.at("2025-06-10T00:00:00Z").store.transactions.map(\.id) == ["1"])
    }

    @Test func `B218: Of periods that began at one moment each is deleted by itself`() throws {
        let app = App(on: store)
        app.buy("silver.monthly", "silver.other", "silver.monthly")
        #expect(try delete("2")?.isRunning == true)
        #expect(try delete("3")?.endReason == .revoked)
    }

    @Test func `B218: Of renewals that were forced at one moment each is deleted by itself`() throws {
        App(on: store).buy("gold.monthly")
        for _ in 0..<3 { try account.forceRenewal(inGroup: "metals") }
        for number in ["2", "3"] { try store.deleteTransaction(number) }
        #expect(account.subscription(inGroup: "metals")?.isRunning == true)
        #expect(try store.transactions.map(\.id) == ["1", "4"])
        #expect(try delete("4")?.endReason == .revoked)
    }

    @Test func `B218: In billing retry too, of periods cut to one moment the newest is the one that ends`() throws {
        App(on: store).buy("gold.monthly")
        try account.forceRenewal(inGroup: "metals")
        try account.setBillingFails(true)
        try account.forceRenewal(inGroup: "metals")
        #expect(account.subscription(inGroup: "metals")?.state == .inBillingRetryPeriod)
        #expect(try delete("2")?.endReason == .revoked)
    }

    @Test func `B218: Of such periods an older one takes nothing with it`() throws {
        App(on: store).buy("gold.monthly")
        for _ in 0..<2 { try account.forceRenewal(inGroup: "metals") }
        try account.setBillingFails(true)
        try account.forceRenewal(inGroup: "metals")
        #expect(try delete("2")?.state == .inBillingRetryPeriod)
        #expect(try delete("3")?.endReason == .revoked)
    }

    @Test func `B218: What was ordered before a subscription began, and approved since, goes with it`() throws {
        store.authorizer = .always(.askToBuy)
        let app = App(on: store)
        app.buy("gold.monthly")
        try account.buy("silver.monthly")
        try store.decide("1", as: .approve)
        #expect(try store.transactions.map(\.original) == ["2", nil])
        try store.deleteTransaction("2")
        #expect(try store.transactions == [] && inReceipt == [])
        #expect(try account.totalCharged == 0)
    }

    @Test func `B218: A code serves once more when what it brought is deleted`() throws {
        let shop = try OfferShop()
        let account = shop.account
        try account.redeem(code: "TWICE", of: "gold")
        #expect(throws: StoreFailure.self) { try account.redeem(code: "TWICE", of: "gold") }
        try shop.store.deleteTransaction("1")
        try account.redeem(code: "TWICE", of: "gold")
        #expect(try shop.store.transactions.map(\.id) == ["2"])
    }

    @Test func `A3, B218: Bought again, a subscription still ends with what was paid for`() throws {
        let app = App(on: store, buying: "gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        app.buy("gold.monthly")
        #expect(try delete("3")?.isRunning == true)
        #expect(try delete("2")?.endReason == .revoked)
    }

    @Test func `B218: A restored transaction alone can be deleted, which takes nothing away`() throws {
        let app = App(on: store, finishes: false)
        try account.buy("full.game")
        app.queue.transactions.forEach(app.queue.finishTransaction)
        app.restore()
        #expect(try app.told { try store.deleteTransaction("2") } == [[.removed("full.game")]])
        #expect(account.entitlements.map(\.transaction) == ["1"])
    }

    @Test func `A transaction that never was, or is deleted already, is not deleted`() throws {
        App(on: store).buy("sword")
        try store.deleteTransaction("1")
        for name in ["1", "2", "", "01"] {
            #expect(throws: SandboxError(.unknownTransaction(name))) { try store.deleteTransaction(name) }
        }
    }

    @Test func `It is still so for a store that continues the ledger, and numbers are not used again`() throws {
        let app = App(on: store)
        app.buy("full.game", "sword")
        try store.deleteTransaction("2")
        try store.deleteTransaction("1")
        let next = try Market(ledger: market.ledger).store
        #expect(try next.transactions == [] && next.account.entitlements == [])
        App(on: next).buy("sword")
        #expect(try next.transactions.map(\.id) == ["3"])
        let lines = try next.timeline.entries.map(\.what)
        #expect(lines.filter { $0.hasPrefix("deleted") } == ["deleted #2", "deleted #1"])
    }

    // MARK: What it changed besides

    @Test func `B218: Codes that were redeemed with it serve once more`() throws {
        let shop = try OfferShop()
        let account = shop.account
        let number = try account.redeem(code: "STACK", of: "gold")
        // It waits for the renewal, and so has no transaction of its own.
        #expect(try account.redeem(code: "TWICE", of: "gold") == number)
        #expect(throws: StoreFailure.self) { try account.redeem(code: "TWICE", of: "gold") }
        try shop.store.deleteTransaction(number)
        try account.redeem(code: "STACK", of: "gold")
        try account.redeem(code: "TWICE", of: "gold")
        #expect(throws: StoreFailure.self) { try account.redeem(code: "STACK", of: "gold") }
    }

    @Test func `B218: A change that waits for the renewal stays when its answer is deleted`() throws {
        let app = App(on: store)
        app.buy("gold.monthly", "silver.monthly")
        try store.deleteTransaction("2")
        #expect(try store.transactions.map(\.id) == ["1"])
        #expect(account.subscription(inGroup: "metals")?.renewsAs == "silver.monthly")
    }

    @Test func `B218: An introductory offer that came with a later purchase is open again, and only then`() throws {
        let shop = try OfferShop()
        shop.app.buy("silver")
        try shop.account.expireSubscription(inGroup: "metals")
        shop.app.buy("gold", "gold")
        #expect(shop.metals?.introductoryOffer == .freeTrial)
        try shop.store.deleteTransaction("3")
        #expect(shop.metals?.introductoryOffer == .freeTrial)
        try shop.store.deleteTransaction("2")
        #expect(shop.metals?.endReason == .revoked)
        shop.app.buy("gold")
        #expect(try shop.metals?.introductoryOffer == .freeTrial && shop.charged == OfferShop.price("2.99"))
    }

    // MARK: All

    @Test func `B203: Cleared, all transactions are gone, receipts are empty, and what was set up stays`() throws {
        let bob = try store.addAccount("bob")
        let phone = App(on: store, finishes: false)
        let other = App(on: try store.addDevice("tablet", signedInTo: bob), finishes: false)
        try bob.setAsksToBuy(true)
        phone.buy("full.game", "gold.monthly")
        other.buy("sword")
        phone.recorder.clear()
        other.recorder.clear()
        let head = try market.ledger.head
        try store.clearTransactions()
        #expect(try market.ledger.head == head + 1)
        #expect(phone.recorder.callbacks == [[.removed("full.game"), .removed("gold.monthly")]])
        #expect(other.recorder.callbacks == [[.removed("sword")]])
        #expect(try store.transactions == [] && inReceipt == [])
        #expect(try account.entitlements == [] && account.subscriptions == [] && account.totalCharged == 0)
        #expect(bob.undecidedRequests == [] && bob.asksToBuy)
        #expect(store.accounts.map(\.name) == ["account", "bob"])
        market.advance(to: "2025-05-01T00:00:00Z")
        phone.restore()
        #expect(phone.recorder.callbacks.suffix(1) == [[.restoreFinished]])
        phone.buy("full.game")
        #expect(try store.transactions.map(\.id) == ["4"] && account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `B203: Cleared, a code serves once more, and apps do not hear of what was revoked before`() throws {
        let shop = try OfferShop()
        let store = shop.store
        try shop.account.redeem(code: "TWICE", of: "gold")
        shop.app.recorder.clear()
        try store.device.signOut()
        try store.refund("1")
        try store.clearTransactions()
        try store.device.signIn(to: shop.account)
        #expect(shop.app.recorder.callbacks == [])
        try shop.account.redeem(code: "TWICE", of: "gold")
        #expect(shop.account.subscriptions.count == 1)
        #expect(try store.timeline.entries.contains { $0.what == "all transactions deleted" })
    }

    @Test func `B203: Nor does an app that was out of reach meanwhile`() throws {
        let app = App(on: store, buying: "full.game")
        app.recorder.clear()
        store.device.isReachable = false
        try store.refund("1")
        try store.clearTransactions()
        store.device.isReachable = true
        market.clock.advance(by: 1)
        #expect(app.recorder.callbacks == [])
        app.buy("full.game")
        app.recorder.clear()
        store.device.isReachable = false
        try store.refund("2")
        store.device.isReachable = true
        market.clock.advance(by: 1)
        #expect(app.recorder.callbacks == [[.revoked(["full.game"])]])
    }
}
