import Foundation
import StoreCore
import Testing

/// What the members of a family have of a shared subscription whose period ends early, or is not paid for.
@Suite struct FamilyBillingTests {
    private let home: Household
    private var store: SandboxStore { home.store }

    init() throws { home = try Household() }

    private func purchases() throws -> [AppReceipt.Purchase] {
        AppReceiptSamples.sorted(try store.verify(appReceipt: try #require(home.tablet.appReceipt))).purchases
    }

    private func delivered(_ product: String) -> [[Heard]] { [[.updated(product, .purchased)], [.removed(product)]] }

    // MARK: Periods that end early

    @Test func `B178, B214: A period that is over early is so in the receipts of the others`() throws {
        home.annasApp.buy("tv.monthly")
        home.clear()
        home.market.advance(to: "2025-01-10T00:00:00Z")
        try home.anna.expireSubscription(inGroup: "plans")
        let end = Market.date("2025-01-10T00:00:00Z")
        #expect(try purchases().map(\.subscription?.expirationDate) == [end])
        #expect(try home.bob.transactions.map(\.expirationDate) == [end])
        #expect(home.bob.entitlements == [])
        #expect(home.bobsApp.recorder.callbacks == [])
    }

    @Test func `B178, B215: Only the newest period of the others ends with a forced renewal, and the next one comes`()
        throws
    {
        home.annasApp.buy("tv.monthly")
        home.market.advance(to: "2025-02-10T00:00:00Z")
        home.clear()
        try home.anna.forceRenewal(inGroup: "plans")
        store.settle()
        #expect(home.bobsApp.recorder.callbacks == delivered("tv.monthly"))
        let ends = ["2025-02-01", "2025-02-10", "2025-03-10"].map { Market.date($0 + "T00:00:00Z") }
        #expect(try purchases().map(\.subscription?.expirationDate) == ends)
        #expect(try home.bob.transactions.map(\.expirationDate) == ends)
    }

    @Test func `B178, B215: Renewals that are forced at the moment of the purchase come to the others too`() throws {
        home.annasApp.buy("tv.monthly")
        for _ in 0..<2 {
            home.clear()
            try home.anna.forceRenewal(inGroup: "plans")
            store.settle()
            #expect(home.bobsApp.recorder.callbacks == delivered("tv.monthly"))
        }
        #expect(
            try home.bob.transactions.map(\.expirationDate) == home.anna.transactions.map(\.expirationDate)
        )
        #expect(home.bob.entitlements.map(\.expirationDate) == [Market.date("2025-02-01T00:00:00Z")])
    }

    @Test func `B178, B214: Bought again at the moment when it was over, it comes to the others again`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.expireSubscription(inGroup: "plans")
        home.clear()
        home.annasApp.buy("tv.monthly")
        #expect(home.bobsApp.recorder.callbacks == delivered("tv.monthly"))
        #expect(home.bob.entitlements.count == 1)
    }

    @Test func `B214: Somebody who shares nothing any more ends nobody's period`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.setSharesPurchases(false)
        home.market.advance(to: "2025-01-10T00:00:00Z")
        try home.anna.expireSubscription(inGroup: "plans")
        #expect(try home.bob.transactions.map(\.expirationDate) == [Market.date("2025-02-01T00:00:00Z")])
    }

    @Test func `A period that ended early is so for a store that continues the ledger`() throws {
        home.annasApp.buy("tv.monthly")
        home.market.advance(to: "2025-01-10T00:00:00Z")
        try home.anna.expireSubscription(inGroup: "plans")
        let (copy, _) = try LedgerCopy.rewritten(home.market.ledger)
        let later = try Market(Household.products, on: "2025-01-20T00:00:00Z", ledger: copy).store
        let tablet = try #require(later.devices.first { $0.name == "tablet" })
        let receipt = try later.verify(appReceipt: try #require(tablet.appReceipt))
        #expect(
            receipt.purchases.map(\.subscription?.expirationDate) == [Market.date("2025-01-10T00:00:00Z")]
        )
    }
}
