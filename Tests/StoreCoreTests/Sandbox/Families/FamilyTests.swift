import Foundation
import StoreCore
import Testing

/// Families: who is in one, and what comes of changes.
@Suite struct FamilyTests {
    private let home: Household
    private let family: SandboxFamily
    private var store: SandboxStore { home.store }

    init() throws {
        home = try Household()
        family = try #require(home.store.families.first)
    }

    @Test func `B176: Somebody who leaves loses what the others share, and they what was shared with them`() throws {
        home.annasApp.buy("album", "tv.monthly")
        home.bobsApp.buy("album")
        home.clear()
        try family.remove(home.bob)
        #expect(family.members == [home.anna] && home.bob.family == nil)
        #expect(home.bobsApp.recorder.history == [.revoked(["album"]), .revoked(["tv.monthly"])])
        #expect(home.annasApp.recorder.callbacks == [[.revoked(["album"])]])
        #expect(home.bob.entitlements.map(\.sharedBy) == [nil])
        #expect(Set(home.anna.entitlements.map(\.productIdentifier)) == ["album", "tv.monthly"])
        home.clear()
        home.at("2025-02-01T00:00:00Z").annasApp.buy("cinema.monthly")
        #expect(home.heard == [])
    }

    @Test func `B176: With the organizer everybody leaves, and nobody can join any more`() throws {
        let carol = try store.addAccount("carol")
        try family.add(carol)
        home.annasApp.buy("album")
        home.clear()
        try family.remove(home.anna)
        #expect(family.members == [])
        #expect(home.heard == [[.revoked(["album"])]] && home.annasApp.recorder.callbacks == [])
        #expect(carol.family == nil)
        #expect(throws: SandboxError(.familyEnded("smiths"))) { try family.add(home.bob) }
        try store.addFamily("browns", organizer: home.bob).add(carol)
        #expect(carol.family?.name == "browns")
    }

    @Test func `B176: A subscription that was over when somebody left is not heard of`() throws {
        home.annasApp.buy("tv.monthly")
        try home.anna.setAutoRenew(false, inGroup: "plans")
        home.market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try home.told { try family.remove(home.bob) } == [])
        home.annasApp.buy("tv.monthly")
        #expect(home.heard == [])
    }

    @Test func `B176, B178: Sharing turned off takes it away, and turned on gives subscriptions back at once`() throws {
        home.annasApp.buy("album", "tv.monthly")
        home.clear()
        try home.anna.setSharesPurchases(false)
        #expect(!home.anna.sharesPurchases)
        #expect(home.bobsApp.recorder.history == [.revoked(["album"]), .revoked(["tv.monthly"])])
        #expect(home.bob.entitlements == [])
        try home.anna.buy("album")
        home.clear()
        try home.anna.setSharesPurchases(true)
        #expect(home.bobsApp.recorder.history == [.updated("tv.monthly", .purchased), .removed("tv.monthly")])
        #expect(Set(home.bob.entitlements.map(\.productIdentifier)) == ["album", "tv.monthly"])
        home.bobsApp.restore()
        #expect(home.bobsApp.received.contains(.updated("album", .restored)))
    }

    @Test func `B176: Who was away when sharing ended hears it at the next launch, once`() throws {
        let carol = try store.addAccount("carol")
        let phone = try store.addDevice("phone 2", signedInTo: carol)
        try family.add(carol)
        home.annasApp.buy("album")
        _ = App(on: phone)
        try family.remove(carol)
        #expect(App(on: phone).recorder.callbacks == [[.revoked(["album"])]])
        #expect(App(on: phone).recorder.callbacks == [])
    }

    @Test func `An account is in one family, under a name that no other has, in one store`() throws {
        let (bob, carol) = (home.bob, try store.addAccount("carol"))
        let stranger = try SandboxStore().account
        #expect(throws: SandboxError(.inFamily("bob"))) { try store.addFamily("browns", organizer: bob) }
        #expect(throws: SandboxError(.inFamily("bob"))) { try family.add(bob) }
        #expect(throws: SandboxError(.nameTaken("smiths"))) { try store.addFamily("smiths", organizer: carol) }
        #expect(throws: SandboxError(.nameTaken(""))) { try store.addFamily("", organizer: carol) }
        #expect(throws: SandboxError(.notInFamily("carol"))) { try family.remove(carol) }
        #expect(throws: SandboxError(.foreignAccount("account"))) { try family.add(stranger) }
        #expect(throws: SandboxError(.foreignAccount("account"))) { try family.remove(stranger) }
        #expect(throws: SandboxError(.foreignAccount("account"))) { try store.addFamily("x", organizer: stranger) }
        #expect(store.families == [family] && family.members == [home.anna, bob])
        #expect(bob.family == family && carol.family == nil)
    }

    @Test func `A store that continues the ledger knows the family, and what it shares`() throws {
        home.annasApp.buy("album", "tv.monthly")
        let next = try Market(Household.products, ledger: home.market.ledger)
        let bob = try #require(next.store.accounts.first { $0.name == "bob" })
        #expect(bob.family?.members.map(\.name) == ["account", "bob"])
        #expect(Set(bob.entitlements) == Set(home.bob.entitlements) && bob.entitlements.count == 2)
        next.advance(to: "2025-02-01T00:00:00Z")
        #expect(try bob.transactions.map(\.productIdentifier) == ["album", "tv.monthly", "tv.monthly"])
    }

    @Test func `A year of renewals is shared period by period, although the clock moves at once`() throws {
        home.annasApp.buy("tv.monthly")
        home.market.advance(to: "2025-12-15T00:00:00Z")
        #expect([home.annasApp, home.bobsApp].map(\.received.count) == [12, 12])
        #expect(try home.bob.transactions.map(\.expirationDate) == home.anna.transactions.map(\.expirationDate))
    }

    @Test func `What happened in a family is in the history`() throws {
        home.annasApp.buy("album")
        try home.anna.setSharesPurchases(false)
        try home.anna.setSharesPurchases(true)
        try family.remove(home.anna)
        let whats = try store.timeline.entries.map(\.what)
        for what in [
            "family \"smiths\" set up", "joined the family \"smiths\"", "shared by account",
            "shares no purchases any more", "#2 not shared by account any more; access to album ended",
            "shares purchases from now on", "shared by account, to be restored",
            "left the family \"smiths\", and everybody with its organizer",
        ] { #expect(whats.contains(what), "\(what): \(whats)") }
    }
}
