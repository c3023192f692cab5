import StoreCore
import StoreKit
import Testing

/// The status of a subscription that somebody's family no longer shares.
@Suite struct EndedSharingTests {
    /// A family of a buyer and a member, and the member's app.
    private struct Family {
        let store: SandboxStore
        let family: SandboxFamily
        let member: SandboxAccount
        let context: StoreContext

        init(ledger: any Ledger = MemoryLedger()) throws {
            store = try SandboxStore(
                products: [
                    .autoRenewable("tv", price: "9.99", period: .init(1, .month), group: "tv", isFamilyShareable: true)
                ],
                ledger: ledger,
                locale: "en_US"
            )
            member = try store.addAccount("member")
            family = try store.addFamily("smiths", organizer: store.account)
            try family.add(member)
            let tablet = try store.addDevice("tablet", signedInTo: member)
            context = StoreContext(backend: tablet, delivery: .inline, log: .silent)
        }

        func states() async throws -> [Product.SubscriptionInfo.RenewalState] {
            try await context.run { try await Product.SubscriptionInfo.status(for: "tv") }.map(\.state)
        }
    }

    enum End: CaseIterable { case leaves, stops, refunded }

    @Test(arguments: End.allCases)
    func `A6: The member's status is revoked, and its updates say so`(end: End) async throws {
        let home = try Family()
        #expect(try await home.states().isEmpty)
        let bought = try home.store.account.buy("tv")
        #expect(try await home.states() == [.subscribed])
        var updates = home.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        switch end {
        case .leaves: try home.family.remove(home.member)
        case .stops: try home.store.account.setSharesPurchases(false)
        case .refunded: try home.store.refund(bought)
        }
        #expect(await home.context.run { await updates.next() }?.state == .revoked)
        #expect(try await home.states() == [.revoked])
        let status = try await home.context.run { try await Product.SubscriptionInfo.status(for: "tv") }.first
        let transaction = try #require(status).transaction.unsafePayloadValue
        #expect(transaction.ownershipType == .familyShared && transaction.revocationDate != nil)
        #expect(status?.renewalInfo.unsafePayloadValue.willAutoRenew == false)
        #expect(await home.context.run { await Transaction.currentEntitlements.all() }.isEmpty)
        // The buyer's own status is another matter.
        if end != .refunded {
            let own = StoreContext(backend: home.store, delivery: .inline, log: .silent)
            let statuses = try await own.run { try await Product.SubscriptionInfo.status(for: "tv") }
            #expect(statuses.map(\.state) == [.subscribed])
        }
    }

    @Test func `A6: Who is shared with again is subscribed again, and a reopened store says the same`() async throws {
        let ledger = MemoryLedger()
        let home = try Family(ledger: ledger)
        try home.store.account.buy("tv")
        try home.family.remove(home.member)
        #expect(try await home.states() == [.revoked])
        let other = try SandboxStore(ledger: ledger)
        let tablet = try #require(other.devices.first { $0.name == "tablet" })
        let context = StoreContext(backend: tablet, delivery: .inline, log: .silent)
        let states = try await context.run { try await Product.SubscriptionInfo.status(for: "tv") }.map(\.state)
        #expect(states == [.revoked])
        try home.family.add(home.member)
        #expect(try await home.states() == [.subscribed])
    }
}
