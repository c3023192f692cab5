import StoreCore
import StoreKit
import Testing

@Suite struct RenewalInfoTests {
    typealias RenewalInfo = Product.SubscriptionInfo.RenewalInfo

    private func renewal(_ change: (inout RenewalPayload) -> Void = { _ in }) async throws -> RenewalInfo {
        try await RenewalPayload.sample(change).signed().result().payloadValue
    }

    @Test func `Renewal information has its payload's values`() async throws {
        let token = UUID()
        let renewal = try await renewal {
            $0.renewalDate = PayloadDate(milliseconds: 9_000)
            $0.renewalPrice = 1_990
            $0.currency = "EUR"
            $0.expirationIntent = .billingError
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = PayloadDate(milliseconds: 10_000)
            $0.priceIncreaseStatus = .agreed
            $0.offerType = .winBack
            $0.offerIdentifier = "back"
            $0.offerDiscountType = .payUpFront
            $0.offerPeriod = "P1Y"
            $0.eligibleWinBackOfferIds = ["back", "again"]
            $0.recentSubscriptionStartDate = PayloadDate(milliseconds: 500)
            $0.appAccountToken = token.uuidString.lowercased()
            $0.appTransactionId = "abc"
            $0.renewalBillingPlanType = .monthly
        }
        #expect(renewal.originalTransactionID == 12 && renewal.currentProductID == "gold")
        #expect(renewal.autoRenewPreference == "silver" && renewal.willAutoRenew)
        #expect(renewal.renewalDate == Date(timeIntervalSince1970: 9))
        #expect(renewal.renewalPrice == Decimal(string: "1.99") && renewal.currency == Locale.Currency("EUR"))
        #expect(renewal.expirationReason == .billingError && renewal.isInBillingRetry)
        #expect(renewal.gracePeriodExpirationDate == Date(timeIntervalSince1970: 10))
        #expect(renewal.priceIncreaseStatus == .agreed && renewal.offer?.type == .winBack)
        #expect(renewal.offer?.id == "back" && renewal.offer?.paymentMode == .payUpFront)
        #expect(renewal.offer?.period?.unit == .year && renewal.eligibleWinBackOfferIDs == ["back", "again"])
        #expect(renewal.recentSubscriptionStartDate == Date(timeIntervalSince1970: 0.5))
        #expect(renewal.appAccountToken == token && renewal.appTransactionID == "abc")
        #expect(renewal.environment == .sandbox && renewal.signedDate == Date(timeIntervalSince1970: 2.5))
        #expect(renewal.renewalBillingPlanType == .monthly)
    }

    @Test func `A value that the payload lacks is nil, or the documented one`() async throws {
        let renewal = try await renewal()
        #expect(renewal.renewalDate == nil && renewal.renewalPrice == nil && renewal.currency == nil)
        #expect(renewal.expirationReason == nil && !renewal.isInBillingRetry)
        #expect(renewal.gracePeriodExpirationDate == nil && renewal.priceIncreaseStatus == .noIncreasePending)
        #expect(renewal.offer == nil && renewal.eligibleWinBackOfferIDs == [])
        #expect(renewal.recentSubscriptionStartDate == .distantPast && renewal.appAccountToken == nil)
        #expect(renewal.appTransactionID == "" && renewal.renewalBillingPlanType == nil)
        #expect(renewal.deviceVerification == Data())
        #expect(renewal.deviceVerificationNonce.uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test func `Commitments, bundles and Advanced Commerce are absent`() async throws {
        let renewal = try await renewal()
        #expect(renewal.commitmentInfo == nil && !renewal.willUnbundle && renewal.bundleProductID == nil)
        #expect(renewal.bundleOriginalTransactionID == nil && renewal.bundleSubscriptionGroupID == nil)
        #expect(renewal.advancedCommerceInfo == nil)
    }

    @Test func `A subscription that will not renew has no next product`() async throws {
        let renewal = try await renewal { $0.autoRenewStatus = .off }
        #expect(!renewal.willAutoRenew && renewal.autoRenewPreference == nil && renewal.currentProductID == "gold")
    }

    @Test(
        arguments: [
            (nil, .noIncreasePending), (0, .pending), (1, .agreed), (7, .noIncreasePending),
        ] as [(Int?, RenewalInfo.PriceIncreaseStatus)]
    )
    func `An increase is pending, agreed or none`(number: Int?, status: RenewalInfo.PriceIncreaseStatus) async throws {
        let renewal = try await renewal { $0.priceIncreaseStatus = number.map { .init(rawValue: $0) } }
        #expect(renewal.priceIncreaseStatus == status)
    }

    @Test(arguments: [
        (1, RenewalInfo.ExpirationReason.autoRenewDisabled), (2, .billingError), (3, .didNotConsentToPriceIncrease),
        (4, .productUnavailable), (5, .unknown), (9, .init(rawValue: 9)),
    ])
    func `Each reason to expire has its number`(number: Int, reason: RenewalInfo.ExpirationReason) async throws {
        #expect(try await renewal { $0.expirationIntent = .init(rawValue: number) }.expirationReason == reason)
    }

    @Test func `Values are equal if their payloads are, whoever signed them`() async throws {
        let payload = RenewalPayload.sample()
        let one = try await payload.signed(key: "one").result().payloadValue
        let other = try await payload.signed(key: "other").result().payloadValue
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(try await one != renewal { $0.autoRenewStatus = .off })
    }

    @Test func `The description is the JSON`() async throws {
        let renewal = try await renewal()
        #expect(renewal.debugDescription == String(decoding: renewal.jsonRepresentation, as: UTF8.self))
        #expect(renewal.jsonRepresentation == RenewalPayload.sample().json)
    }

    @Test func `Each listed value has words of its own`() {
        typealias Reason = RenewalInfo.ExpirationReason
        let reasons = [
            Reason.autoRenewDisabled, .billingError, .didNotConsentToPriceIncrease, .productUnavailable, .unbundled,
            .unknown,
        ]
        #expect(Set(reasons.map(\.localizedDescription)).count == 6)
        #expect(Reason(rawValue: 99).localizedDescription == Reason.unknown.localizedDescription)
        typealias Increase = RenewalInfo.PriceIncreaseStatus
        let increases = [Increase.noIncreasePending, .pending, .agreed]
        #expect(Set(increases.map(\.localizedDescription)).count == 3)
    }
}
