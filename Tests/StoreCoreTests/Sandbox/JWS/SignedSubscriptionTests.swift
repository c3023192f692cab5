import Foundation
import StoreCore
import Testing

/// A sandbox's subscriptions as JWS.
@Suite struct SignedSubscriptionTests {
    private let subscriber: Subscriber

    init() throws { subscriber = try Subscriber() }

    private func subscription(_ account: SandboxAccount, in group: String = "metals") throws -> SignedSubscription {
        try #require(try account.signedSubscriptions(inGroup: group).first)
    }

    private func renewal(_ subscriber: Subscriber) throws -> RenewalPayload {
        try subscription(subscriber.account).renewal.payload
    }

    private func milliseconds(_ date: String) -> PayloadDate { PayloadDate(Market.date(date)) }

    @Test func `A running subscription in JSON`() throws {
        let found = try subscription(subscriber.at("2025-02-10T00:00:00Z").account)
        let json = """
            {"appTransactionId":"\(try #require(found.renewal.payload.appTransactionId))",\
            "autoRenewProductId":"gold.monthly","autoRenewStatus":1,"currency":"USD","environment":"LocalTesting",\
            "isInBillingRetryPeriod":false,"originalTransactionId":"1","productId":"gold.monthly",\
            "recentSubscriptionStartDate":1735689600000,"renewalBillingPlanType":"BILLED_UPFRONT",\
            "renewalDate":1740787200000,"renewalPrice":9990,"signedDate":1739145600000}
            """
        #expect(String(decoding: found.renewal.payload.json, as: UTF8.self) == json)
        #expect(found.transaction.payload.transactionId == "2")
        let signer = subscriber.market.store.payloadSigner
        #expect(try RenewalPayload(verifying: found.renewal.jws, signer: signer) == found.renewal.payload)
    }

    @Test func `An account that never subscribed has none`() throws {
        #expect(try Market().account.signedSubscriptions(inGroup: "metals").isEmpty)
    }

    @Test func `Renewal that is turned off costs nothing, and then has expired for it`() throws {
        try subscriber.account.setAutoRenew(false, inGroup: "metals")
        let running = try renewal(subscriber)
        #expect(running.autoRenewStatus == .off && running.autoRenewProductId == "gold.monthly")
        #expect(running.renewalPrice == nil && running.currency == nil && running.expirationIntent == nil)
        let over = try renewal(subscriber.at("2025-02-01T00:00:00Z"))
        #expect(over.expirationIntent == .customerCanceled)
        #expect(over.autoRenewStatus == .off && over.isInBillingRetryPeriod == false)
        #expect(over.renewalDate == milliseconds("2025-02-01T00:00:00Z"))
    }

    @Test func `A change that begins at the renewal is what renews`() throws {
        subscriber.app.buy("silver.monthly")
        let found = try subscription(subscriber.account)
        #expect(found.renewal.payload.productId == "gold.monthly")
        #expect(found.renewal.payload.autoRenewProductId == "silver.monthly")
        #expect(found.renewal.payload.renewalPrice == 4990 && found.transaction.payload.transactionId == "1")
    }

    @Test func `Billing retry, with and without grace`() throws {
        try subscriber.failRenewals()
        let grace = try renewal(subscriber.at("2025-02-01T00:00:00Z"))
        #expect(grace.isInBillingRetryPeriod == true && grace.expirationIntent == .billingError)
        #expect(grace.gracePeriodExpiresDate == milliseconds("2025-02-17T00:00:00Z"))
        #expect(grace.autoRenewStatus == .on && grace.renewalPrice == 9990)
        let retry = try renewal(subscriber.at("2025-02-17T00:00:00Z"))
        #expect(retry.isInBillingRetryPeriod == true && retry.expirationIntent == .billingError)
        #expect(retry.gracePeriodExpiresDate == nil)
        let over = try renewal(subscriber.at("2025-06-01T00:00:00Z"))
        #expect(over.isInBillingRetryPeriod == false && over.expirationIntent == .billingError)
        #expect(over.autoRenewStatus == .off)
    }

    @Test func `A price increase waits for consent`() throws {
        #expect(try renewal(subscriber).priceIncreaseStatus == nil)
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "12.99")
        #expect(try renewal(subscriber).priceIncreaseStatus == .pending)
        try subscriber.account.answerPriceConsent(.agree, inGroup: "metals")
        #expect(try renewal(subscriber).priceIncreaseStatus == .agreed && renewal(subscriber).renewalPrice == 12_990)
    }

    @Test func `A subscription that is not agreed to, not sold or limited expires for it`() throws {
        let changes: [(SandboxStore) throws -> Void] = [
            { try $0.raisePrice(of: "gold.monthly", to: "12.99") },
            { try $0.setAvailability(.withdrawn, of: "gold.monthly") },
            { try $0.setRenewalLimit(0) },
        ]
        let intents = try changes.map { change in
            let subscriber = try Subscriber()
            try change(subscriber.market.store)
            return try renewal(subscriber.at("2025-02-01T00:00:00Z")).expirationIntent
        }
        #expect(intents == [.didNotConsentToPriceIncrease, .productUnavailable, .other])
    }

    @Test func `A refunded subscription is revoked, and has not expired`() throws {
        try subscriber.market.store.refund("1")
        let found = try subscription(subscriber.account)
        #expect(found.transaction.payload.revocationType == .fullRefund)
        #expect(found.renewal.payload.expirationIntent == nil && found.renewal.payload.autoRenewStatus == .off)
    }

    // MARK: Offers

    @Test func `An introductory offer is that of its period, and the next has none`() throws {
        let shop = try OfferShop()
        shop.app.buy("gold")
        let found = try subscription(shop.account)
        let transaction = found.transaction.payload
        #expect(transaction.offerType == .introductory && transaction.offerIdentifier == nil)
        #expect(transaction.offerDiscountType == .freeTrial && transaction.offerPeriod == "P1W")
        #expect(transaction.price == 0 && transaction.currency == "USD")
        #expect(found.renewal.payload.offerType == nil && found.renewal.payload.renewalPrice == 4990)
    }

    @Test func `A promotional offer of two periods is also that of the next`() throws {
        let shop = try OfferShop()
        try shop.subscribeElsewhere()
        try shop.buy("silver", under: "gift")
        try shop.account.expireSubscription(inGroup: "metals")
        try shop.buy("gold", under: "winter")
        let first = try subscription(shop.account)
        let (transaction, next) = (first.transaction.payload, first.renewal.payload)
        #expect(transaction.offerType == .promotional && transaction.offerIdentifier == "winter")
        #expect(transaction.offerDiscountType == .payAsYouGo && transaction.offerPeriod == "P2M")
        #expect(transaction.price == 990)
        #expect(next.offerType == .promotional && next.offerIdentifier == "winter" && next.offerPeriod == "P2M")
        #expect(next.offerDiscountType == .payAsYouGo && next.renewalPrice == 990)
        shop.market.clock.advance(by: 32 * 86_400)
        let second = try subscription(shop.account)
        #expect(second.transaction.payload.offerIdentifier == "winter")
        #expect(second.transaction.payload.transactionReason == .renewal)
        #expect(second.renewal.payload.offerType == nil && second.renewal.payload.renewalPrice == 4990)
    }

    @Test func `A code's offer and a win-back offer have their kinds`() throws {
        let shop = try OfferShop()
        let redeemed = try shop.store.signedTransaction(shop.account.redeem(code: "FOR.NEW", of: "gold")).payload
        #expect(redeemed.offerType == .code && redeemed.offerIdentifier == "FOR.NEW")
        #expect(redeemed.offerDiscountType == .payUpFront && redeemed.offerPeriod == "P2M")
        #expect(try subscription(shop.account).renewal.payload.eligibleWinBackOfferIds == nil)
        try shop.account.expireSubscription(inGroup: "metals")
        #expect(try subscription(shop.account).renewal.payload.eligibleWinBackOfferIds == ["come.back"])
        let won = try shop.store.signedTransaction(shop.account.redeemWinBackOffer("come.back", of: "gold")).payload
        #expect(won.offerType == .winBack && won.offerIdentifier == "come.back")
    }

    // MARK: Families

    @Test func `A shared subscription is the member's own, without what concerns its purchaser alone`() throws {
        let household = try Household()
        try household.anna.buy("tv.monthly", applicationUsername: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        household.market.advance(to: "2025-02-10T00:00:00Z")
        let annas = try subscription(household.anna, in: "plans")
        let bobs = try subscription(household.bob, in: "plans")
        let transactions = (annas.transaction.payload, bobs.transaction.payload)
        #expect(transactions.0.inAppOwnershipType == .purchased && transactions.1.inAppOwnershipType == .familyShared)
        #expect(transactions.0.appAccountToken != nil && transactions.1.appAccountToken == nil)
        #expect(transactions.0.price == 9990 && transactions.1.price == nil && transactions.1.currency == nil)
        #expect(transactions.1.transactionReason == .renewal)
        #expect(transactions.1.originalTransactionId != transactions.0.originalTransactionId)
        #expect(transactions.0.expiresDate == transactions.1.expiresDate)
        let identifiers = [transactions.0.appTransactionId, transactions.1.appTransactionId]
        #expect(identifiers == [annas.renewal.payload.appTransactionId, bobs.renewal.payload.appTransactionId])
        #expect(identifiers[0] != identifiers[1])
        let renewal = bobs.renewal.payload
        #expect(renewal.originalTransactionId == transactions.1.originalTransactionId)
        #expect(renewal.autoRenewStatus == .on && renewal.renewalPrice == nil)
        let first = try household.store.signedTransaction(renewal.originalTransactionId).payload
        #expect(first.transactionReason == .purchase && first.inAppOwnershipType == .familyShared)
    }

    @Test func `What is no longer shared is revoked for the member alone`() throws {
        let household = try Household()
        household.annasApp.buy("album")
        let shared = try #require(try household.bob.signedTransactions.first).payload
        #expect(shared.inAppOwnershipType == .familyShared && shared.transactionId == shared.originalTransactionId)
        try household.after(60).anna.setSharesPurchases(false)
        let revoked = try household.store.signedTransaction(shared.transactionId).payload
        #expect(revoked.revocationType == .familyRevoke && revoked.revocationReason == .other)
        #expect(revoked.revocationDate == PayloadDate(household.market.clock.now))
        #expect(revoked.revocationPercentage == nil)
        #expect(try household.anna.signedTransactions.map(\.payload.revocationDate) == [nil])
    }

    @Test func `A shared purchase that only a restore brings is known before`() throws {
        let household = try Household(isFamily: false)
        household.annasApp.buy("album")
        try household.store.addFamily("smiths", organizer: household.anna).add(household.bob)
        #expect(try household.bob.signedTransactions.map(\.payload.inAppOwnershipType) == [.familyShared])
        household.bobsApp.restore()
        let restored = try #require(household.bobsApp.recorder.transactions.last?.transactionIdentifier)
        #expect(try household.store.signedTransaction(restored).payload.inAppOwnershipType == .familyShared)
    }

    @Test func `One's own subscription comes before those of the family`() throws {
        let household = try Household()
        household.annasApp.buy("tv.monthly")
        household.bobsApp.buy("solo.monthly")
        let products = try household.bob.signedSubscriptions(inGroup: "plans").map(\.renewal.payload.productId)
        #expect(products == ["solo.monthly", "tv.monthly"])
    }
}
