import Foundation
import Testing

@testable import StoreCore

@Suite struct PayloadCodingTests {
    private static let plain = TransactionPayload(
        transactionId: "1",
        bundleId: "com.example.app",
        productId: "sword",
        type: .consumable,
        purchaseDate: PayloadDate(milliseconds: 1),
        environment: "Sandbox",
        signedDate: PayloadDate(milliseconds: 2)
    )

    /// A payload in which every property has a value, but for those that a device's reading adds.
    private static let transaction: TransactionPayload = {
        var payload = plain
        payload.quantity = 3
        payload.originalTransactionId = "5"
        payload.webOrderLineItemId = "6"
        payload.subscriptionGroupIdentifier = "group"
        payload.originalPurchaseDate = PayloadDate(milliseconds: 3)
        payload.expiresDate = PayloadDate(milliseconds: 4)
        payload.appAccountToken = "token"
        payload.inAppOwnershipType = .familyShared
        payload.revocationDate = PayloadDate(milliseconds: 5)
        payload.revocationReason = .init(rawValue: 1)
        payload.revocationType = .init(rawValue: "REFUND_PRORATED")
        payload.revocationPercentage = 50_000
        payload.isUpgraded = true
        payload.offerType = .init(rawValue: 2)
        payload.offerIdentifier = "offer"
        payload.offerDiscountType = .init(rawValue: "PAY_UP_FRONT")
        payload.offerPeriod = "P2M"
        payload.storefront = "USA"
        payload.storefrontId = "143441"
        payload.transactionReason = .init(rawValue: "RENEWAL")
        payload.currency = "USD"
        payload.price = 9_990
        payload.appTransactionId = "8"
        payload.billingPlanType = .init(rawValue: "MONTHLY")
        payload.commitmentInfo = .init(
            billingPeriodNumber: 4,
            totalBillingPeriods: 12,
            commitmentExpiresDate: PayloadDate(milliseconds: 6),
            commitmentPrice: 119_880
        )
        payload.bundleProductId = "both"
        payload.bundleTransactionId = "9"
        payload.bundleOriginalTransactionId = "10"
        payload.bundleSubscriptionGroupIdentifier = "bundles"
        payload.previousOriginalTransactionId = "11"
        payload.advancedCommerceInfo = .init(
            requestReferenceId: "reference",
            taxCode: "C003-00-1",
            items: [.init(SKU: "sports", displayName: "Sports", description: "Live", price: 4_990)]
        )
        return payload
    }()

    private static let renewal: RenewalPayload = {
        var payload = RenewalPayload(
            originalTransactionId: "5",
            productId: "gold",
            autoRenewProductId: "silver",
            autoRenewStatus: .on,
            environment: "Sandbox",
            signedDate: PayloadDate(milliseconds: 1)
        )
        payload.renewalDate = PayloadDate(milliseconds: 2)
        payload.renewalPrice = 4_990
        payload.currency = "USD"
        payload.expirationIntent = .init(rawValue: 2)
        payload.isInBillingRetryPeriod = true
        payload.gracePeriodExpiresDate = PayloadDate(milliseconds: 3)
        payload.priceIncreaseStatus = .init(rawValue: 1)
        payload.offerType = .init(rawValue: 3)
        payload.offerIdentifier = "code"
        payload.offerDiscountType = .init(rawValue: "FREE_TRIAL")
        payload.offerPeriod = "P1W"
        payload.eligibleWinBackOfferIds = ["back", "again"]
        payload.recentSubscriptionStartDate = PayloadDate(milliseconds: 4)
        payload.appAccountToken = "token"
        payload.appTransactionId = "8"
        payload.renewalBillingPlanType = .init(rawValue: "MONTHLY")
        payload.commitmentInfo = .init(
            commitmentAutoRenewProductId: "bronze",
            commitmentAutoRenewStatus: .off,
            commitmentRenewalBillingPlanType: .upFront,
            commitmentRenewalDate: PayloadDate(milliseconds: 5),
            commitmentRenewalPrice: 99_990
        )
        payload.willUnbundle = true
        payload.bundleProductId = "both"
        payload.bundleOriginalTransactionId = "10"
        payload.bundleSubscriptionGroupIdentifier = "bundles"
        payload.advancedCommerceInfo = .init(
            requestReferenceId: "reference",
            consistencyToken: "token",
            taxCode: "C003-00-1",
            descriptors: .init(displayName: "Pass", description: "Channels"),
            period: "P1M",
            items: [.init(SKU: "sports", displayName: "Sports", description: "Live", price: 4_990)]
        )
        return payload
    }()

    /// Returns the names of the properties without a value.
    private func absent(in payload: Any) -> [String] {
        Mirror(reflecting: payload).children.filter { Mirror(reflecting: $0.value).displayStyle == .optional }
            .filter { Mirror(reflecting: $0.value).children.isEmpty }
            .compactMap(\.label)
    }

    @Test func `Every property of a notification's payloads is packed`() throws {
        // A property that is added has to get a value here, and is compared then.
        let added = ["deviceVerification", "deviceVerificationNonce"]
        #expect(absent(in: Self.transaction) == added)
        #expect(absent(in: Self.renewal) == added)
        let words = WordTable()
        let bytes = PayloadPacker.pack(Self.transaction, Self.renewal, status: 3, words)
        let (transaction, renewal, status) = try PayloadUnpacker.unpack(bytes, words)
        #expect(transaction == Self.transaction && renewal == Self.renewal)
        #expect(status == 3)
    }

    @Test func `What a payload has not is packed as absent`() throws {
        let words = WordTable()
        let bytes = PayloadPacker.pack(Self.plain, nil, status: nil, words)
        let (transaction, renewal, status) = try PayloadUnpacker.unpack(bytes, words)
        #expect(transaction == Self.plain)
        #expect(renewal == nil && status == nil)
    }
}
