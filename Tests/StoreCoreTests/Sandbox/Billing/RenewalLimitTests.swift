import Foundation
import StoreCore
import TestSupport
import Testing

/// How often a subscription renews.
@Suite(.promptly) struct RenewalLimitTests {
    @Test func `B199: Accelerated renewals stop after 12 where the store has Apple's limit`() throws {
        let subscriber = try Subscriber(renewalRate: .month(.fiveMinutes))
        try subscriber.market.store.setRenewalLimit(12)
        #expect(subscriber.market.store.renewalLimit == 12)
        subscriber.market.clock.advance(by: 12 * 300)
        #expect(subscriber.heard() == Array(repeating: subscriber.purchase, count: 12).flatMap { $0 })
        #expect(try subscriber.metals.state == .subscribed)
        #expect(try subscriber.after(300).heard() == [] && subscriber.metals.endReason == .renewalLimitReached)
        #expect(subscriber.account.entitlements.isEmpty)
    }

    @Test func `B199: After a lapse it is bought again and renews as often anew`() throws {
        let subscriber = try Subscriber()
        try subscriber.market.store.setRenewalLimit(1)
        #expect(subscriber.at("2025-05-01T00:00:00Z").heard() == subscriber.purchase)
        subscriber.app.buy("gold.monthly")
        subscriber.market.advance(to: "2025-08-01T00:00:00Z")
        let expected = [[.updated("gold.monthly", .purchasing)]] + subscriber.purchase + subscriber.purchase
        #expect(try subscriber.heard() == expected && subscriber.metals.endReason == .renewalLimitReached)
        #expect(try subscriber.metals.expirationDate == Market.date("2025-07-01T00:00:00Z"))
    }

    @Test func `B199: What has renewed more often already ends with its period`() throws {
        let subscriber = try Subscriber()
        #expect(subscriber.at("2026-06-15T00:00:00Z").heard().count == 2 * 17)
        try subscriber.market.store.setRenewalLimit(0)
        #expect(try subscriber.metals.state == .subscribed)
        try subscriber.market.store.setRenewalLimit(nil)
        #expect(subscriber.at("2026-07-01T00:00:00Z").heard() == subscriber.purchase)
        try subscriber.market.store.setRenewalLimit(12)
        #expect(subscriber.at("2026-08-01T00:00:00Z").heard() == [])
        #expect(try subscriber.metals.endReason == .renewalLimitReached)
    }

    @Test func `A limit below zero stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SandboxStore().setRenewalLimit(-1)
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("less than 0 times"))
    }
}
