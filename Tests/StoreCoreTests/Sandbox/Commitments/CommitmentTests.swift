import Foundation
import StoreCore
import Testing

/// A year that is paid monthly, with a commitment to twelve payments.
@Suite struct CommitmentTests {
    @Test func `Each month is a transaction of its own, which names its place in the year`() throws {
        let subscriber = try CommittedSubscriber.committed()
        let first = try subscriber.signed.transaction
        #expect(first.transactionId == "1" && first.price == 9990 && first.billingPlanType == .monthly)
        #expect(first.expiresDate == payloadDate("2025-02-01T00:00:00Z"))
        let commitment = TransactionPayload.CommitmentInfo(
            billingPeriodNumber: 1,
            totalBillingPeriods: 12,
            commitmentExpiresDate: payloadDate("2026-01-01T00:00:00Z"),
            commitmentPrice: 119_880
        )
        #expect(first.commitmentInfo == commitment)
        let fourth = try subscriber.at("2025-04-15T00:00:00Z").signed.transaction
        #expect(fourth.transactionId == "4" && fourth.transactionReason == .renewal && fourth.price == 9990)
        #expect(fourth.expiresDate == payloadDate("2025-05-01T00:00:00Z"))
        #expect(fourth.commitmentInfo?.billingPeriodNumber == 4)
        #expect(fourth.commitmentInfo?.commitmentExpiresDate == commitment.commitmentExpiresDate)
        #expect(try subscriber.charged == "39.96")
    }

    @Test func `A year that is paid up front has no commitment`() throws {
        let subscriber = try CommittedSubscriber()
        try subscriber.account.buy("year")
        let (transaction, renewal) = try subscriber.signed
        #expect(transaction.billingPlanType == .upFront && transaction.commitmentInfo == nil)
        #expect(transaction.expiresDate == payloadDate("2026-01-01T00:00:00Z") && transaction.price == 99_990)
        #expect(renewal.renewalBillingPlanType == .upFront && renewal.commitmentInfo == nil)
        #expect(try subscriber.metals.commitment == nil)
    }

    @Test func `Renewal that is turned off ends the subscription after the twelfth payment`() throws {
        let subscriber = try CommittedSubscriber.committed()
        try subscriber.at("2025-03-10T00:00:00Z").account.setAutoRenew(false, inGroup: "metals")
        let commitment = try #require(try subscriber.metals.commitment)
        #expect(try subscriber.metals.willRenew && subscriber.metals.renewsAs == "year")
        #expect(!commitment.willRenew && commitment.renewsAs == nil && commitment.remainingPayments == 9)
        #expect(commitment.billingPeriodNumber == 3 && commitment.totalPrice == amount("119.88"))
        let renewal = try subscriber.signed.renewal
        #expect(renewal.autoRenewStatus == .on && renewal.renewalPrice == 9990)
        #expect(renewal.renewalBillingPlanType == .monthly && renewal.autoRenewProductId == "year")
        #expect(renewal.renewalDate == payloadDate("2025-04-01T00:00:00Z"))
        #expect(renewal.commitmentInfo?.commitmentAutoRenewStatus == .off)
        let last = try subscriber.at("2025-12-31T00:00:00Z").metals
        #expect(last.isRunning && !last.willRenew && last.commitment?.remainingPayments == 0)
        #expect(try subscriber.signed.renewal.autoRenewStatus == .off)
        let over = try subscriber.at("2026-01-01T00:00:00Z").metals
        #expect(over.state == .expired && over.endReason == .autoRenewDisabled && over.commitment == nil)
        #expect(try subscriber.charged == "119.88" && subscriber.signed.renewal.commitmentInfo == nil)
    }

    @Test func `The next commitment begins after the twelfth payment`() throws {
        let subscriber = try CommittedSubscriber.committed()
        let before = try #require(try subscriber.at("2025-06-01T00:00:00Z").signed.renewal.commitmentInfo)
        #expect(before.commitmentAutoRenewStatus == .on && before.commitmentAutoRenewProductId == "year")
        #expect(before.commitmentRenewalBillingPlanType == .monthly && before.commitmentRenewalPrice == 9990)
        #expect(before.commitmentRenewalDate == payloadDate("2026-01-01T00:00:00Z"))
        let next = try #require(try subscriber.at("2026-01-01T00:00:00Z").metals.commitment)
        #expect(next.billingPeriodNumber == 1 && next.expirationDate == Market.date("2027-01-01T00:00:00Z"))
        #expect(try subscriber.signed.transaction.transactionId == "13")
    }

    @Test func `A payment is as high as the first, and the next commitment as high as the price then`() throws {
        let subscriber = try CommittedSubscriber.committed()
        try subscriber.store.register(
            CommittedSubscriber.year("year", level: 2, price: "99.99").billedMonthly(price: "11")
        )
        #expect(try subscriber.at("2025-12-31T00:00:00Z").charged == "119.88")
        #expect(try subscriber.signed.renewal.commitmentInfo?.commitmentRenewalPrice == 11_000)
        #expect(try subscriber.at("2026-01-01T00:00:00Z").charged == "130.88")
    }

    @Test func `A year that is no longer sold monthly goes on up front after the commitment`() throws {
        let subscriber = try CommittedSubscriber.committed()
        try subscriber.store.register(CommittedSubscriber.year("year", level: 2, price: "99.99"))
        #expect(try subscriber.at("2025-12-31T00:00:00Z").charged == "119.88")
        let next = try subscriber.at("2026-01-01T00:00:00Z").metals
        #expect(next.commitment == nil && next.expirationDate == Market.date("2027-01-01T00:00:00Z"))
        #expect(try subscriber.signed.transaction.billingPlanType == .upFront && subscriber.charged == "219.87")
    }

    @Test func `A faster rate makes twelve short periods`() throws {
        let subscriber = try CommittedSubscriber(renewalRate: .month(.fiveMinutes))
        try subscriber.buyMonthly("year")
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        let commitment = try #require(try subscriber.metals.commitment)
        #expect(commitment.expirationDate == Market.date("2025-01-01T01:00:00Z"))
        #expect(try subscriber.at("2025-01-01T00:59:59Z").metals.isRunning)
        #expect(try subscriber.at("2025-01-01T01:00:00Z").metals.endReason == .autoRenewDisabled)
        #expect(try subscriber.charged == "119.88")
    }

    @Test(arguments: ["month", "top"]) func `Only a year with a monthly plan is sold so`(product: String) throws {
        let subscriber = try CommittedSubscriber()
        #expect(throws: StoreFailure.self) { try subscriber.buyMonthly(product) }
        #expect(subscriber.account.subscription(inGroup: "metals") == nil)
    }

    @Test func `An order that is approved after the plan is gone fails rather than cost the whole year`() throws {
        let market = try Market(CommittedSubscriber.products, authorizer: .always(.later))
        let app = App(on: market.store)
        app.order("year") { $0.billingPlan = .monthly }
        try market.store.register(CommittedSubscriber.year("year", level: 2, price: "99.99"))
        try market.store.decide(try #require(market.store.undecidedRequests.first).transaction, as: .approve)
        app.queue.settle()
        #expect(app.recorder.transactions.last?.transactionState == .failed)
        #expect(try market.store.account.totalCharged == 0)
    }

    @Test func `A store opened again on its ledger goes on with the commitment`() throws {
        let before = try CommittedSubscriber.committed()
        try before.at("2025-05-10T00:00:00Z").account.setAutoRenew(false, inGroup: "metals")
        try before.account.buy("small")
        let (copy, text) = try LedgerCopy.rewritten(before.market.ledger)
        #expect(text.contains("\"commitment\""))
        let after = try CommittedSubscriber(ledger: copy).at("2025-05-10T00:00:00Z")
        #expect(try after.metals == before.metals && after.metals.commitment?.renewsAs == "small")
    }

    @Test func `Records and payloads of a year paid up front are as before`() throws {
        let subscriber = try CommittedSubscriber()
        try subscriber.account.buy("year")
        let (_, text) = try LedgerCopy.rewritten(subscriber.market.ledger)
        #expect(!text.contains("\"commitment\"") && !text.contains("\"plan\":\"monthly\",\"start"))
        let json = try String(decoding: subscriber.signed.transaction.json, as: UTF8.self)
        #expect(!json.contains("commitmentInfo"))
    }

    @Test func `A family member has the purchaser's place in the year`() throws {
        var year = CommittedSubscriber.products[1]
        year.isFamilyShareable = true
        let subscriber = try CommittedSubscriber([year])
        let bob = try subscriber.store.addAccount("bob")
        try subscriber.store.addFamily("smiths", organizer: subscriber.account).add(bob)
        try subscriber.buyMonthly("year")
        let shared = try #require(subscriber.at("2025-02-10T00:00:00Z").store.account(named: "bob"))
        let found = try #require(try shared.signedSubscriptions(inGroup: "metals").first)
        let transaction = found.transaction.payload
        #expect(transaction.inAppOwnershipType == .familyShared && transaction.billingPlanType == .monthly)
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 2)
    }

    @Test func `A purchase in the past has made its payments since`() throws {
        let subscriber = try CommittedSubscriber()
        try subscriber.at("2025-06-15T00:00:00Z").buyMonthly("year") {
            $0.purchaseDate = Market.date("2025-01-10T00:00:00Z")
            $0.renewsUntilNow = true
        }
        #expect(try subscriber.metals.commitment?.billingPeriodNumber == 6)
    }
}
