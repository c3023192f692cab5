import Foundation
import StoreCore
import Testing

/// What the members of a family have of a shared subscription whose period ends early, or is not paid for.
@Suite struct FamilyBillingTests {
    private let home: Household
    private var store: SandboxStore { home.store }

    init() throws { home = try Household() }

    private func purchases() throws -> [AppReceipt.Purchase] { try store.purchases(on: home.tablet) }

    // MARK: Periods that end early

    @Test func `B178, B214: A period that is over early is so in the receipts of the others`() throws {
        home.annasApp.buy("tv.monthly")
        home.clear()
        try home.at("2025-01-10T00:00:00Z").anna.expireSubscription(inGroup: "plans")
        #expect(try purchases().map(\.subscription?.expirationDate) == days("2025-01-10"))
        #expect(try home.bob.transactions.map(\.expirationDate) == days("2025-01-10"))
        #expect(home.bob.entitlements == [] && home.heard == [])
    }

    @Test func `B178, B215: Only the others' newest period ends with a forced renewal, and the next comes`() throws {
        home.annasApp.buy("tv.monthly")
        home.at("2025-02-10T00:00:00Z").clear()
        try store.settle { try home.anna.forceRenewal(inGroup: "plans") }
        #expect(home.heard == delivered("tv.monthly"))
        let ends = days("2025-02-01", "2025-02-10", "2025-03-10")
        #expect(try purchases().map(\.subscription?.expirationDate) == ends)
        #expect(try home.bob.transactions.map(\.expirationDate) == ends)
    }

    @Test func `B178, B215: Renewals that are forced at the moment of the purchase come to the others too`() throws {
        home.annasApp.buy("tv.monthly")
        for _ in 0..<2 {
            home.clear()
            try store.settle { try home.anna.forceRenewal(inGroup: "plans") }
            #expect(home.heard == delivered("tv.monthly"))
        }
        #expect(try home.bob.transactions.map(\.expirationDate) == home.anna.transactions.map(\.expirationDate))
        #expect(home.bob.entitlements.map(\.expirationDate) == [Market.date("2025-02-01T00:00:00Z")])
    }

    @Test func `B178, B214: Bought again at the moment when it was over, it comes to the others again`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.expireSubscription(inGroup: "plans")
        #expect(home.told { home.annasApp.buy("tv.monthly") } == delivered("tv.monthly"))
        #expect(home.bob.entitlements.count == 1)
    }

    @Test func `B214: Somebody who shares nothing any more ends nobody's period`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.setSharesPurchases(false)
        try home.at("2025-01-10T00:00:00Z").anna.expireSubscription(inGroup: "plans")
        #expect(try home.bob.transactions.map(\.expirationDate) == [Market.date("2025-02-01T00:00:00Z")])
    }

    @Test func `A period that ended early is so for a store that continues the ledger`() throws {
        home.annasApp.buy("tv.monthly")
        try home.at("2025-01-10T00:00:00Z").anna.expireSubscription(inGroup: "plans")
        let (copy, _) = try LedgerCopy.rewritten(home.market.ledger)
        let later = try Market(Household.products, on: "2025-01-20T00:00:00Z", ledger: copy).store
        let tablet = try #require(later.devices.first { $0.name == "tablet" })
        #expect(try later.purchases(on: tablet).map(\.subscription?.expirationDate) == days("2025-01-10"))
    }

    // MARK: Grace periods

    /// The first period was over on 1 February, and the grace period, in which it is now the 5th, is on the 17th.
    private func beginGrace(for home: Household? = nil) throws {
        let home = home ?? self.home
        try home.store.setGrantsGracePeriod(true)
        home.annasApp.buy("tv.monthly")
        try home.anna.setBillingFails(true)
        home.at("2025-02-05T00:00:00Z").clear()
    }

    /// How a member loses what is shared.
    enum Loss: CaseIterable { case removed, notShared, refunded, deleted, changed }

    private func lose(_ loss: Loss) throws {
        switch loss {
        case .removed: try #require(home.bob.family).remove(home.bob)
        case .notShared: try home.anna.setSharesPurchases(false)
        case .refunded: try store.refund("1")
        case .deleted: try store.deleteTransaction("1")
        case .changed: home.annasApp.buy("solo.monthly")
        }
        store.settle()
    }

    @Test(arguments: Loss.allCases)
    func `B176, B200: Whoever loses in a grace period what is shared hears it`(loss: Loss) throws {
        try beginGrace()
        try lose(loss)
        #expect(home.bob.entitlements == [] && home.heard == [[.revoked(["tv.monthly"])]])
        #expect(try purchases().map(\.cancellationDate) == [Market.date("2025-02-05T00:00:00Z")])
    }

    @Test func `B176, B200: Whoever joined in a grace period and leaves in it hears it`() throws {
        let home = try Household(isFamily: false)
        try beginGrace(for: home)
        let family = try home.store.addFamily("smiths", organizer: home.anna)
        try family.add(home.bob)
        #expect(home.heard == delivered("tv.monthly"))
        #expect(try home.told { try family.remove(home.bob) } == [[.revoked(["tv.monthly"])]])
    }

    @Test(arguments: Loss.allCases)
    func `B200: Access that ended with the grace period is heard of neither then nor later`(loss: Loss) throws {
        try beginGrace()
        #expect(home.at("2025-02-17T00:00:00Z").bob.entitlements == [] && home.heard == [])
        try lose(loss)
        #expect(home.heard == [])
        #expect(try purchases().map(\.cancellationDate) == [nil])
    }

    @Test func `B200: A grace period that ends with the subscription's renewal is as if it had lapsed`() throws {
        try beginGrace()
        try home.anna.setAutoRenew(false, inGroup: "plans")
        try lose(.removed)
        #expect(home.heard == [])
        #expect(try purchases().map(\.cancellationDate) == [nil])
    }

    @Test func `B176, B200: Paid for in the grace period it is shared until the end of its period`() throws {
        try beginGrace()
        try home.anna.setBillingFails(false)
        try home.anna.resolveBillingIssue(inGroup: "plans")
        try home.anna.setAutoRenew(false, inGroup: "plans")
        home.market.advance(to: "2025-03-01T00:00:00Z")
        #expect(try home.told { try lose(.removed) } == [])
    }

    // MARK: What a server hears of it

    @Test func `B121, B178: A member's receipt tells how the shared subscription stands, as the buyer's does`() throws {
        let carl = try store.addAccount("carl")
        let app = App(on: try store.addDevice("phone", signedInTo: carl), finishes: false)
        let family = try #require(store.families.first)
        try family.add(carl)
        store.settle { home.annasApp.buy("tv.monthly") }
        let receipt = try #require(app.recorder.transactions.first?.transactionReceipt)
        home.market.advance(to: "2025-02-05T00:00:00Z")
        let renewed = store.verify(receipt: receipt)
        #expect(!renewed.isExpired)
        #expect(renewed.latestFields["expires_date_formatted"] == "2025-03-01 00:00:00 Etc/GMT")
        try family.remove(carl)
        #expect(store.verify(receipt: receipt).isExpired)
    }

    @Test func `B121, B178: In the receipts of a member who joins in the middle of a period it begins then`() throws {
        let home = try Household(isFamily: false)
        home.annasApp.buy("tv.monthly")
        try home.at("2025-01-15T00:00:00Z").store.addFamily("smiths", organizer: home.anna).add(home.bob)
        let purchases = try home.at("2025-02-05T00:00:00Z").store.purchases(on: home.tablet)
        #expect(purchases.map(\.purchaseDate) == days("2025-01-15", "2025-02-01"))
        #expect(purchases.map(\.originalPurchaseDate) == days("2025-01-15", "2025-01-15"))
    }
}
