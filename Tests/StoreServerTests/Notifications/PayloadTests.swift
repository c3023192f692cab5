import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// The content of notifications, as a server decodes them.
@Suite(.libcrypto) struct PayloadTests {
    private func payloads(_ shop: Shop) throws -> [JSON] {
        let signer = NotificationSigner(view: ServerView(shop.store))
        return try ServerView(shop.store).notifications(after: nil, limit: 100).map {
            JSON(try signer.signedPayload($0)).payload
        }
    }

    @Test func `A subscription's has transaction, renewal and status, dated when it happened`() throws {
        let shop = try Shop()
        try ServerView(shop.store).beginNotifications()
        let gold = try shop.buy("gold")
        shop.clock.advance(by: 86_400)
        let payload = try payloads(shop)[0]
        #expect(payload.keys == ["notificationType", "subtype", "notificationUUID", "version", "signedDate", "data"])
        #expect(payload.notificationType.text == "SUBSCRIBED" && payload.subtype.text == "INITIAL_BUY")
        #expect(payload.version.text == "2.0" && payload.signedDate.number == 1_735_689_600_000)
        let uuid = try #require(payload.notificationUUID.text)
        #expect(UUID(uuidString: uuid) != nil && uuid == uuid.lowercased())
        let ofSubscriptions: Set = ["signedTransactionInfo", "signedRenewalInfo", "status"]
        #expect(payload.data.keys == ofSubscriptions.union(["environment", "bundleId", "bundleVersion"]))
        #expect(payload.data.status.number == 1 && payload.data.environment.text == "LocalTesting")
        #expect(payload.data.signedTransactionInfo.payload.transactionId.text == gold)
        #expect(payload.data.signedRenewalInfo.payload.originalTransactionId.text == gold)
    }

    @Test func `A one-time charge's has no renewal and no subtype`() throws {
        let shop = try Shop()
        try ServerView(shop.store).beginNotifications()
        try shop.buy("coins")
        let payload = try payloads(shop)[0]
        #expect(payload.notificationType.text == "ONE_TIME_CHARGE" && payload.subtype.text == nil)
        #expect(payload.data.keys == ["environment", "bundleId", "bundleVersion", "signedTransactionInfo"])
    }

    @Test func `An extension for all has a summary, a request for a refund its reason, consent the app`() throws {
        let shop = try Shop()
        let view = ServerView(shop.store)
        try view.beginNotifications()
        try shop.buy("gold")
        let coins = try shop.buy("coins")
        try view.extendRenewals(of: "gold", days: 3, reason: 1, request: "request", storefronts: ["USA"])
        shop.store.refundDecision = .ask
        try shop.store.requestRefund(of: coins, reason: .legal)
        try shop.account.setAppPurchase(AppPurchase(version: "2.1"))
        try shop.account.rescindConsent()
        try shop.account.setAppPurchase(AppPurchase(version: "3"))
        _ = try view.requestTestNotification()
        let all = try payloads(shop)
        let summary = try #require(all.first { $0.subtype.text == "SUMMARY" }).summary
        #expect(summary.requestIdentifier.text == "request" && summary.productId.text == "gold")
        #expect(summary.succeededCount.number == 1 && summary.failedCount.number == 0)
        #expect(summary.storefrontCountryCodes.list.map(\.text) == ["USA"])
        #expect(summary.environment.text == "LocalTesting" && summary.bundleId.text == Shop.bundleIdentifier)
        let request = try #require(all.first { $0.notificationType.text == "CONSUMPTION_REQUEST" })
        #expect(request.data.consumptionRequestReason.text == "LEGAL")
        let consent = try #require(all.first { $0.notificationType.text == "RESCIND_CONSENT" })
        #expect(consent.data.value == nil)
        let app = consent.appData.signedAppTransactionInfo.payload
        #expect(app.bundleId.text == Shop.bundleIdentifier && app.originalApplicationVersion.text == "2.1")
        let test = try #require(all.first { $0.notificationType.text == "TEST" })
        #expect(test.data.keys == ["environment", "bundleId", "bundleVersion"])
    }

    @Test func `The App Store's form is verified below the root`() throws {
        let authority = try CertificateAuthority(now: ManualClock().now)
        let shop = try Shop.production(authority)
        try ServerView(shop.store).beginNotifications()
        try shop.buy("gold")
        let view = ServerView(shop.store)
        let notification = try view.notifications(after: nil, limit: 1)[0]
        let jws = try NotificationSigner(view: view).signedPayload(notification)
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        let payload = try JSON(data: try verifier.verify(jws, asOf: shop.clock.now))
        #expect(payload.data.appAppleId.number == 1_234_567 && payload.data.environment.text == "Production")
        let transaction = try #require(payload.data.signedTransactionInfo.text)
        _ = try verifier.verify(transaction, asOf: shop.clock.now)
    }
}
