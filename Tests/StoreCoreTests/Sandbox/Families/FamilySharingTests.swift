import Foundation
import StoreCore
import Testing

/// What the members of a family have from one another.
@Suite struct FamilySharingTests {
    private let home: Household
    private var store: SandboxStore { home.store }

    init() throws { home = try Household() }

    // MARK: What comes

    @Test func `B178: A subscription comes to the others as purchased, and so does every renewal`() throws {
        home.annasApp.buy("tv.monthly")
        #expect(home.heard == delivered("tv.monthly"))
        #expect(home.at("2025-02-01T00:00:00Z").heard == delivered("tv.monthly") + delivered("tv.monthly"))
        let transactions = home.bobsApp.recorder.transactions
        let first = transactions[0]
        #expect(transactions.map(\.original?.transactionIdentifier) == [nil, first.transactionIdentifier])
        let entitlement = try #require(home.bob.entitlements.first)
        #expect(entitlement.sharedBy == "account" && entitlement.expirationDate == Market.date("2025-03-01T00:00:00Z"))
        #expect(entitlement.transaction == first.transactionIdentifier)
        #expect(try home.bob.subscriptions == [] && home.bob.totalCharged == 0)
        let receipt = try store.purchases(on: home.tablet)
        #expect(receipt.map(\.subscription?.expirationDate) == days("2025-02-01", "2025-03-01"))
        #expect(receipt.map(\.originalTransactionIdentifier) == Array(repeating: first.transactionIdentifier, count: 2))
    }

    @Test func `B178: What is bought for good while it is shared comes to the others as purchased`() throws {
        home.annasApp.buy("album")
        #expect(home.heard == delivered("album") && home.bob.entitlements.map(\.productIdentifier) == ["album"])
        #expect(home.bob.entitlements.map(\.description) == ["album: shared by account as #2"])
        #expect(try home.bob.totalCharged == 0)
        #expect(try store.purchases(on: home.tablet).map(\.productIdentifier) == ["album"])
        let transaction = try #require(try home.bob.transactions.first)
        #expect(transaction.origin == .familySharing && transaction.sharedBy == "account")
    }

    @Test func `B178: What was bought before comes only with a restore, but a subscription at once`() throws {
        let home = try Household(isFamily: false)
        home.annasApp.buy("album", "tv.monthly")
        #expect(home.heard == [])
        try home.store.addFamily("smiths", organizer: home.anna).add(home.bob)
        #expect(home.heard == delivered("tv.monthly"))
        #expect(Set(home.bob.entitlements.map(\.productIdentifier)) == ["album", "tv.monthly"])
        home.bobsApp.recorder.clear()
        home.bobsApp.restore()
        let restored: [Heard] = [.updated("album", .restored), .updated("tv.monthly", .restored)]
        #expect(home.heard == [restored, [.restoreFinished], [.removed("album"), .removed("tv.monthly")]])
    }

    @Test func `B141, B178: What is not shareable is not shared, nor what is used up or does not renew`() throws {
        home.annasApp.buy("sword", "diary", "lessons", "solo.monthly")
        #expect(home.heard == [] && home.bob.entitlements == [] && home.tablet.appReceipt == nil)
    }

    @Test func `B178: It goes from every member to every other, and to all their devices`() throws {
        let carol = try store.addAccount("carol")
        let apps = try ["phone 2", "phone 3"].map { name in
            App(on: try store.addDevice(name, signedInTo: carol), finishes: false)
        }
        let stranger = App(on: try store.addDevice("phone 4", signedInTo: try store.addAccount("dave")))
        try #require(store.families.first).add(carol)
        home.bobsApp.buy("album")
        for app in apps { #expect(app.recorder.callbacks == [[.updated("album", .purchased)]]) }
        #expect(home.annasApp.recorder.callbacks == delivered("album") && stranger.recorder.callbacks == [])
        apps[0].queue.transactions.forEach(apps[0].queue.finishTransaction)
        #expect(apps[1].recorder.callbacks.last == [.removed("album")])
    }

    @Test func `B178: Somebody whose app was not running finds it at the next launch`() throws {
        let carol = try store.addAccount("carol")
        try #require(store.families.first).add(carol)
        try home.anna.buy("album")
        let phone = try store.addDevice("phone 2", signedInTo: carol)
        #expect(App(on: phone).recorder.callbacks == delivered("album"))
        #expect(App(on: phone).recorder.callbacks == [])
    }

    @Test func `B200: What is shared gives access in grace, none in billing retry, and again once paid for`() throws {
        try store.setGrantsGracePeriod(true)
        home.annasApp.buy("tv.monthly")
        try home.anna.setBillingFails(true)
        #expect(home.at("2025-02-05T00:00:00Z").bob.entitlements.map(\.isInGracePeriod) == [true])
        #expect(home.bob.entitlements.map(\.expirationDate) == home.anna.entitlements.map(\.expirationDate))
        #expect(home.at("2025-03-15T00:00:00Z").bob.entitlements.isEmpty)
        let heard = home.heard
        try home.anna.resolveBillingIssue(inGroup: try #require(home.anna.subscriptions.first).groupIdentifier)
        home.store.settle()
        #expect(home.bob.entitlements.map(\.isInGracePeriod) == [false])
        #expect(home.heard == heard + delivered("tv.monthly"))
    }

    @Test func `A subscription that lapses gives nothing until it goes on, and then a period of the same one`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.setAutoRenew(false, inGroup: "plans")
        home.bobsApp.recorder.clear()
        #expect(home.at("2025-02-10T00:00:00Z").bob.entitlements == [] && home.heard == [])
        home.annasApp.buy("tv.monthly")
        #expect(home.heard == delivered("tv.monthly"))
        let transactions = try home.bob.transactions
        #expect(transactions.map(\.original) == [nil, transactions[0].id])
        #expect(home.bob.entitlements.map(\.expirationDate) == [Market.date("2025-03-10T00:00:00Z")])
    }

    @Test func `B178: With an upgrade the others get the better product`() throws {
        home.annasApp.buy("tv.monthly")
        #expect(home.bobsApp.told { home.annasApp.buy("cinema.monthly") } == delivered("cinema.monthly"))
        #expect(home.bob.entitlements.map(\.productIdentifier) == ["cinema.monthly"])
    }

    @Test func `B176: With a change to a product that is not shareable the others lose access`() throws {
        home.annasApp.buy("tv.monthly")
        #expect(home.told { home.annasApp.buy("solo.monthly") } == [[.revoked(["tv.monthly"])]])
        #expect(home.bob.entitlements == [])
        #expect(home.annasApp.recorder.history.contains(.revoked(["tv.monthly"])) == false)
    }

    // MARK: Refunds

    @Test func `B176, B177: When the organizer is refunded, everybody loses it and hears it`() throws {
        home.annasApp.buy("album", "tv.monthly")
        home.clear()
        home.market.clock.advance(by: 60)
        for transaction in try home.anna.transactions { try store.refund(transaction.id) }
        for app in [home.annasApp, home.bobsApp] {
            #expect(app.recorder.callbacks == [[.revoked(["album"])], [.revoked(["tv.monthly"])]])
        }
        #expect(home.anna.entitlements == [] && home.bob.entitlements == [])
        let now = home.market.clock.now
        #expect(try store.purchases(on: home.tablet).map(\.cancellationDate) == [now, now])
        #expect(try home.bob.totalRefunded == 0)
        #expect(home.bobsApp.told { home.bobsApp.restore() } == [[.restoreFinished]])
        #expect(home.at("2025-04-01T00:00:00Z").heard.count == 1)
    }

    @Test func `B176: Of a shared subscription an earlier period is paid back without a word`() throws {
        home.annasApp.buy("tv.monthly")
        home.market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try home.told { try store.refund("1") } == [] && home.annasApp.recorder.callbacks == [])
        #expect(try store.purchases(on: home.tablet).map(\.cancellationDate) == [nil, nil])
    }

    @Test func `B177, B179: Who is refunded and has it from the family too hears it, and keeps that`() throws {
        home.annasApp.buy("album")
        home.bobsApp.buy("album")
        #expect(try home.bob.totalCharged == Decimal(string: "3.99"))
        let own = try #require(try home.bob.charges.first?.id)
        #expect(Set(home.bob.entitlements.map(\.sharedBy)) == [nil, "account"])
        #expect(try home.told { try store.refund(own) } == [[.revoked(["album"])]])
        #expect(home.bob.entitlements.map(\.sharedBy) == ["account"])
        #expect(try store.purchases(on: home.tablet).map { $0.cancellationDate == nil } == [true, false])
        // It was bob who shared it with her, although she had bought it.
        #expect(home.annasApp.recorder.callbacks == [[.revoked(["album"])]])
        #expect(home.anna.entitlements.map(\.sharedBy) == [nil])
    }

    @Test func `B176, B179: Somebody who owns what is not shared any more hears it, and keeps what is owned`() throws {
        home.annasApp.buy("album")
        home.bobsApp.buy("album")
        #expect(try home.told { try store.refund("1") } == [[.revoked(["album"])]])
        #expect(home.bob.entitlements.map(\.sharedBy) == [nil])
    }

    @Test func `What a member has from another is not paid back to the member`() throws {
        home.annasApp.buy("album")
        let shared = try #require(try home.bob.transactions.first?.id)
        #expect(throws: SandboxError(.notSold(shared))) { try store.refund(shared) }
        #expect(home.bob.entitlements.count == 1)
    }

    // MARK: Deletions

    @Test func `B218: What another bought is deleted, and the family loses it`() throws {
        home.annasApp.buy("album")
        home.clear()
        try store.deleteTransaction("1")
        #expect(home.annasApp.recorder.callbacks == [] && home.heard == [[.revoked(["album"])]])
        #expect(home.bob.entitlements == [])
        home.annasApp.buy("album")
        #expect(home.heard == [[.revoked(["album"])]] + delivered("album"))
    }

    @Test func `B218: A subscription that had lapsed is deleted without a word to the family`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.setAutoRenew(false, inGroup: "plans")
        home.market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try home.told { try store.deleteTransaction("1") } == [])
        #expect(try store.purchases(on: home.tablet).map(\.cancellationDate) == [nil])
        let last = try store.timeline.entries.last?.what
        #expect(last == "a subscription that lapsed is not shared by account any more")
        home.annasApp.buy("tv.monthly")
        #expect(home.heard == delivered("tv.monthly"))
    }

    @Test func `B218: What a member has from another cannot be deleted for good: it comes anew`() throws {
        home.annasApp.buy("album", "tv.monthly")
        home.clear()
        for transaction in try home.bob.transactions { try store.deleteTransaction(transaction.id) }
        #expect(home.heard == delivered("tv.monthly"))
        #expect(try home.bob.transactions.map(\.productIdentifier) == ["album", "tv.monthly"])
        #expect(Set(home.bob.entitlements.map(\.productIdentifier)) == ["album", "tv.monthly"])
        #expect(try store.purchases(on: home.tablet).map(\.productIdentifier) == ["album", "tv.monthly"])
    }

    @Test func `B203: Cleared, nothing is shared, and families stay`() throws {
        home.annasApp.buy("album", "tv.monthly")
        home.clear()
        try store.clearTransactions()
        #expect(home.bob.entitlements == [] && home.heard == [])
        #expect(try #require(store.families.first).members == [home.anna, home.bob])
        home.annasApp.buy("album")
        #expect(home.heard == delivered("album"))
    }
}
