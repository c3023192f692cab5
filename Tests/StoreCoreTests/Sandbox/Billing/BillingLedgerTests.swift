import Foundation
import StoreCore
import Testing

/// What the ledger keeps of renewals that could not be paid for, and what it tells of them.
@Suite struct BillingLedgerTests {
    @Test func `B198: What was resolved while the app was not running comes at its next launch, once`() throws {
        let market = try Market()
        App(on: market.store).buy("gold.monthly")
        try market.store.account.setBillingFails(true)
        try market.at("2025-02-03T00:00:00Z").store.account.resolveBillingIssue(inGroup: "metals")
        #expect(App(on: market.store).recorder.callbacks == delivered("gold.monthly"))
        #expect(App(on: market.store).recorder.callbacks == [])
    }

    @Test func `A store opened on a ledger goes on where billing stood`() throws {
        let ledger = MemoryLedger()
        do {
            let subscriber = try Subscriber(ledger: ledger)
            try subscriber.market.store.setRenewalLimit(12)
            try subscriber.failRenewals()
            subscriber.market.advance(to: "2025-02-03T00:00:00Z")
        }
        let (copy, _) = try LedgerCopy.rewritten(ledger)
        let later = try Market(on: "2025-02-05T00:00:00Z", ledger: copy)
        #expect(later.store.account.billingFails && later.store.grantsGracePeriod)
        #expect(later.store.renewalLimit == 12)
        #expect(later.store.account.subscription(inGroup: "metals")?.state == .inGracePeriod)
        later.advance(to: "2025-02-17T00:00:00Z")
        #expect(later.store.account.subscription(inGroup: "metals")?.state == .inBillingRetryPeriod)
        #expect(
            later.at("2025-04-02T00:00:00Z").store.account.subscription(inGroup: "metals")?.endReason == .billingError
        )
    }

    @Test func `B200: The timeline says why access ended, each step on its day, whenever the store is opened`() throws {
        let ledger = MemoryLedger()
        do { try Subscriber(ledger: ledger).failRenewals() }
        let later = try Market(on: "2025-08-01T00:00:00Z", ledger: ledger)
        let lines = try later.store.timeline.entries.filter { $0.date > Market.date("2025-01-01T00:00:00Z") }
        #expect(
            lines.map(\.what) == [
                "renewal not paid for: grace period until 2025-02-17 00:00:00, billing retry until 2025-04-02 00:00:00",
                "grace period over, billing retry goes on", "subscription ended: billingError",
            ]
        )
        #expect(lines.map(\.date) == days("2025-02-01", "2025-02-17", "2025-04-02"))
        #expect(lines.allSatisfy { $0.account == "account" && $0.productIdentifier == "gold.monthly" })
        #expect(lines.allSatisfy { $0.transaction == "1" })
    }

    @Test func `The timeline names every switch and command`() throws {
        let subscriber = try Subscriber()
        let (store, account) = (subscriber.market.store, subscriber.account)
        let begin = try store.timeline.entries.count
        for fails in [true, true, false] { try account.setBillingFails(fails) }
        for grants in [true, false] { try store.setGrantsGracePeriod(grants) }
        for limit in [12, nil] { try store.setRenewalLimit(limit) }
        try account.requestPriceIncreaseConsent(inGroup: "metals")
        try account.answerPriceConsent(.agree, inGroup: "metals")
        try account.expireSubscription(inGroup: "metals")
        #expect(
            try store.timeline.entries.dropFirst(begin).map(\.what) == [
                "renewals cannot be paid for from now on", "renewals can be paid for again",
                "grants a grace period from now on", "grants no grace period any more",
                "subscriptions renew at most 12 times", "subscriptions renew without limit",
                "asked to agree to a higher price", "agreed to the higher price",
                "will not renew", "period ended early, at 2025-01-01 00:00:00", "subscription ended: autoRenewDisabled",
            ]
        )
    }

    @Test func `A ledger that fails leaves a subscription as it was`() throws {
        let ledger = FailingLedger()
        let subscriber = try Subscriber(ledger: ledger)
        let metals = try subscriber.at("2025-01-10T00:00:00Z").metals
        ledger.failing = .append
        #expect(throws: (any Error).self) { try subscriber.account.forceRenewal(inGroup: "metals") }
        #expect(throws: (any Error).self) { try subscriber.account.expireSubscription(inGroup: "metals") }
        #expect(throws: (any Error).self) { try subscriber.account.setBillingFails(true) }
        ledger.repair()
        #expect(try subscriber.metals == metals && !subscriber.account.billingFails)
        #expect(subscriber.heard() == [])
        #expect(subscriber.at("2025-02-01T00:00:00Z").heard() == subscriber.purchase)
    }
}
