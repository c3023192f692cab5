import StoreCore
import StoreKitTest
import Testing

/// What a session does to subscriptions.
@Suite struct SubscriptionTests {
    private let app: TestApp
    private let day: TimeInterval = 86400

    init() throws { app = try TestApp() }

    private func transaction(_ identifier: UInt) throws -> SKTestTransaction {
        try #require(app.session.allTransactions().first { $0.identifier == identifier })
    }

    @Test func `B213, B220: A subscription renews, each time as a transaction with the same original`() throws {
        app.buy("basic.monthly")
        app.clock.advance(by: 62 * day)
        #expect(app.heard == ["basic.monthly purchasing"] + Array(repeating: "basic.monthly purchased", count: 3))
        #expect(app.shop.identifiers == ["0", "1", "2"])
        let transactions = app.session.allTransactions()
        #expect(transactions.map(\.originalTransactionIdentifier) == [0, 0, 0])
        #expect(transactions.map(\.autoRenewingEnabled) == [true, true, true])
        #expect(transactions[0].expirationDate == transactions[1].purchaseDate)
        #expect(transactions.allSatisfy { $0.cancelDate == nil })
    }

    @Test func `B213, B220: With auto-renewal off it expires with its period; on again, it renews`() throws {
        app.buy("basic.monthly")
        try app.session.disableAutoRenewForTransaction(identifier: 0)
        #expect(try !transaction(0).autoRenewingEnabled)
        try app.session.enableAutoRenewForTransaction(identifier: 0)
        #expect(try transaction(0).autoRenewingEnabled)
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 2)
        try app.session.disableAutoRenewForTransaction(identifier: 1)
        app.clock.advance(by: 62 * day)
        #expect(app.list.count == 2 && app.session.store.account.entitlements.isEmpty)
        #expect(try transaction(0).cancelDate == nil)
    }

    @Test func `B220: An upgrade sets no cancel date`() throws {
        app.buy("basic.monthly")
        app.clock.advance(by: 3 * day)
        app.buy("pro.monthly")
        #expect(app.list == ["0 basic.monthly purchased", "1 pro.monthly purchased"])
        #expect(app.session.store.account.entitlements.map(\.productIdentifier) == ["pro.monthly"])
        #expect(app.session.allTransactions().allSatisfy { $0.cancelDate == nil })
    }

    @Test func `B214: An expired subscription is over now, and does not renew`() throws {
        app.buy("basic.monthly")
        app.clock.advance(by: 3 * day)
        try app.session.expireSubscription(productIdentifier: "basic.monthly")
        #expect(app.session.store.account.entitlements.isEmpty)
        #expect(try transaction(0).expirationDate == app.clock.now)
        #expect(try !transaction(0).autoRenewingEnabled)
        app.clock.advance(by: 62 * day)
        #expect(app.list.count == 1)
    }

    @Test func `B215: A forced renewal ends the period now, begins the next and turns auto-renewal on`() throws {
        app.buy("basic.monthly")
        app.clock.advance(by: 3 * day)
        try app.session.disableAutoRenewForTransaction(identifier: 0)
        try app.session.forceRenewalOfSubscription(productIdentifier: "basic.monthly")
        #expect(app.heard == ["basic.monthly purchasing", "basic.monthly purchased", "basic.monthly purchased"])
        let renewal = try transaction(1)
        #expect(renewal.purchaseDate == app.clock.now && renewal.originalTransactionIdentifier == 0)
        #expect(renewal.autoRenewingEnabled)
    }

    @Test func `B210: Renewals that cannot be paid for wait in billing retry until they are resolved`() throws {
        app.session.shouldEnterBillingRetryOnRenewal = true
        app.buy("basic.monthly")
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 1)
        #expect(try transaction(0).hasPurchaseIssue)
        #expect(app.session.store.account.entitlements.isEmpty)
        try app.session.resolveIssueForTransaction(identifier: 0)
        #expect(app.heard == ["basic.monthly purchasing", "basic.monthly purchased", "basic.monthly purchased"])
        #expect(try !transaction(0).hasPurchaseIssue && transaction(1).purchaseDate == app.clock.now)
    }

    @Test func `B210: A grace period gives access before billing retry, and means nothing without it`() throws {
        app.session.billingGracePeriodIsEnabled = true
        app.buy("basic.monthly")
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 2)
        app.session.shouldEnterBillingRetryOnRenewal = true
        app.clock.advance(by: 30 * day)
        #expect(app.list.count == 2)
        #expect(try transaction(1).hasPurchaseIssue)
        #expect(app.session.store.account.entitlements.map(\.productIdentifier) == ["basic.monthly"])
        app.clock.advance(by: 20 * day)
        #expect(app.session.store.account.entitlements.isEmpty)
    }

    @Test func `B210: What is resolved after billing retry has ended changes nothing`() throws {
        app.session.shouldEnterBillingRetryOnRenewal = true
        app.buy("basic.monthly")
        app.clock.advance(by: 120 * day)
        try app.session.resolveIssueForTransaction(identifier: 0)
        #expect(app.list.count == 1 && app.session.store.account.entitlements.isEmpty)
    }

    @Test func `B216: Consent to a higher price lets the subscription go on`() throws {
        app.buy("basic.monthly")
        try app.session.requestPriceIncreaseConsentForTransaction(identifier: 0)
        try app.session.requestPriceIncreaseConsentForTransaction(identifier: 0)
        #expect(try transaction(0).isPendingPriceIncreaseConsent)
        try app.session.consentToPriceIncreaseForTransaction(identifier: 0)
        #expect(try !transaction(0).isPendingPriceIncreaseConsent)
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 2)
        expectRefusal(.invalidAction) { try app.session.consentToPriceIncreaseForTransaction(identifier: 0) }
    }

    @Test func `B216: Declined, a higher price turns auto-renewal off`() throws {
        app.buy("basic.monthly")
        try app.session.requestPriceIncreaseConsentForTransaction(identifier: 0)
        try app.session.declinePriceIncreaseForTransaction(identifier: 0)
        #expect(try !transaction(0).isPendingPriceIncreaseConsent && !transaction(0).autoRenewingEnabled)
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 1)
    }

    @Test func `B216: Without an answer about a higher price a subscription ends with its period`() throws {
        app.buy("basic.monthly")
        try app.session.requestPriceIncreaseConsentForTransaction(identifier: 0)
        app.clock.advance(by: 32 * day)
        #expect(app.list.count == 1 && app.session.store.account.entitlements.isEmpty)
    }

    @Test func `B215: A forced renewal withdraws the question about a higher price`() throws {
        app.buy("basic.monthly")
        try app.session.requestPriceIncreaseConsentForTransaction(identifier: 0)
        try app.session.forceRenewalOfSubscription(productIdentifier: "basic.monthly")
        #expect(try !transaction(0).isPendingPriceIncreaseConsent)
    }

    @Test func `B218: With a subscription's first transaction deleted, the introductory offer is open again`() throws {
        app.buy("pro.monthly")
        app.clock.advance(by: 8 * day)
        #expect(app.list.count == 2)
        #expect(try app.session.store.transactions.map(\.chargedAmount) == [0, Decimal(string: "9.99")])
        try app.session.deleteTransaction(identifier: 0)
        #expect(app.list.isEmpty)
        app.buy("pro.monthly")
        #expect(try app.session.store.transactions.map(\.chargedAmount) == [0])
    }

    @Test func `B221: What is no subscription, or nobody's, is refused with its code`() throws {
        app.buy("castle")
        let session = app.session
        expectRefusal(.noSubscriptionFound) { try session.disableAutoRenewForTransaction(identifier: 0) }
        expectRefusal(.noTransactionFound) { try session.enableAutoRenewForTransaction(identifier: 5) }
        expectRefusal(.invalidProductType) { try session.expireSubscription(productIdentifier: "castle") }
        expectRefusal(.invalidProductIdentifier) {
            try session.forceRenewalOfSubscription(productIdentifier: "unicorn")
        }
        expectRefusal(.noSubscriptionFound) { try session.expireSubscription(productIdentifier: "basic.monthly") }
    }

    @Test(arguments: [
        (SKTestSession.TimeRate.monthlyRenewalEveryHour, 3600.0), (.monthlyRenewalEveryThirtyMinutes, 1800),
        (.monthlyRenewalEveryFifteenMinutes, 900), (.monthlyRenewalEveryFiveMinutes, 300),
        (.monthlyRenewalEveryThirtySeconds, 30), (.oneRenewalEveryFifteenMinutes, 900),
        (.oneRenewalEveryFiveMinutes, 300), (.oneRenewalEveryMinute, 60), (.oneRenewalEveryThirtySeconds, 30),
        (.oneRenewalEveryTenSeconds, 10), (.oneRenewalEveryTwoSeconds, 2),
    ])
    func `B223, B224: A month lasts as the rate says`(rate: SKTestSession.TimeRate, seconds: TimeInterval) throws {
        app.session.timeRate = rate
        #expect(app.session.timeRate == rate)
        app.buy("basic.monthly")
        let period = try transaction(0)
        #expect(period.expirationDate == period.purchaseDate.addingTimeInterval(seconds))
    }
}

extension SubscriptionTests {
    @available(*, deprecated)
    private static var daily: [(SKTestSession.TimeRate, TimeInterval)] {
        [
            (.oneHourIsOneDay, 3600), (.thirtyMinutesIsOneDay, 1800), (.fiveMinutesIsOneDay, 300),
            (.oneMinuteIsOneDay, 60), (.thirtySecondsIsOneDay, 30), (.oneSecondIsOneDay, 1),
        ]
    }

    @available(*, deprecated)
    @Test func `B222: The old rates make a day last as long as they say`() throws {
        for (rate, seconds) in Self.daily {
            app.session.clearTransactions()
            app.session.timeRate = rate
            app.buy("basic.monthly")
            let period = try transaction(0)
            // January has 31 days.
            #expect(period.expirationDate == period.purchaseDate.addingTimeInterval(31 * seconds))
        }
    }
}
