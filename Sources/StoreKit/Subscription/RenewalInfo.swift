import Foundation
import StoreCore

extension Product.SubscriptionInfo {
    /// Information about the next renewal of a subscription, or about why there is none.
    ///
    /// A value is a snapshot. Two are equal if all properties are, ``signedDate`` included. A property that the store does
    /// not tell has the value that its documentation names.
    public struct RenewalInfo: Sendable, SignedInformation {
        let signed: SignedValue<RenewalPayload>

        init(_ signed: SignedValue<RenewalPayload>) { self.signed = signed }

        /// The JSON that the properties were read from: the payload of the JWS.
        ///
        /// A store in the process signs when it is first read.
        public var jsonRepresentation: Data { signed.json }

        /// The transaction that the subscription began with; 0 if the store's identifier is not a number.
        public var originalTransactionID: UInt64 { UInt64(payload.originalTransactionId) ?? 0 }

        /// The product of the current period, or of the last one.
        public var currentProductID: String { payload.productId }

        /// Whether the subscription will renew.
        public var willAutoRenew: Bool { payload.autoRenewStatus == .on }

        /// The product of the next period; nil if the subscription will not renew.
        public var autoRenewPreference: String? { willAutoRenew ? payload.autoRenewProductId : nil }

        /// The date of the next renewal: the end of the newest period, which may be past; nil if the store does not tell.
        public var renewalDate: Date? { payload.renewalDate?.date }

        /// The price of the next period, offers included; nil if there is none.
        public var renewalPrice: Decimal? { payload.renewalPrice.map { Decimal(thousandths: $0) } }

        /// The currency of the ``renewalPrice``.
        public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

        /// The offer that the next period is under; nil for none.
        public var offer: Transaction.Offer? {
            Transaction.Offer(
                type: payload.offerType,
                identifier: payload.offerIdentifier,
                discount: payload.offerDiscountType,
                length: payload.offerPeriod
            )
        }

        /// The win-back offers that the account is eligible for; empty if there are none.
        public var eligibleWinBackOfferIDs: [String] { payload.eligibleWinBackOfferIds ?? [] }

        /// Whether the store tries again to charge a renewal that failed, also during the grace period.
        public var isInBillingRetry: Bool { payload.isInBillingRetryPeriod ?? false }

        /// The end of the grace period; nil while there is none.
        public var gracePeriodExpirationDate: Date? { payload.gracePeriodExpiresDate?.date }

        /// The reason why the subscription has expired or is not paid for; nil if it is neither.
        public var expirationReason: ExpirationReason? {
            payload.expirationIntent.map { ExpirationReason(rawValue: $0.rawValue) }
        }

        /// The state of a price increase.
        public var priceIncreaseStatus: PriceIncreaseStatus { PriceIncreaseStatus(payload.priceIncreaseStatus) }

        /// The date since which the account counts as a subscriber; `Date.distantPast` if the store does not tell.
        public var recentSubscriptionStartDate: Date { payload.recentSubscriptionStartDate?.date ?? .distantPast }

        /// The UUID that the app gave the last purchase for its user; nil for none.
        public var appAccountToken: UUID? { UUID(payload: payload.appAccountToken) }

        /// The identifier of the account in this app; empty if the store does not tell.
        public var appTransactionID: String { payload.appTransactionId ?? "" }

        /// The environment that the store signed in.
        public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment) }

        /// The date of the signature.
        public var signedDate: Date { signed.payload.signedDate.date }

        /// The SHA-384 that ties the value to a device; empty if there is none.
        ///
        /// It is the hash of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``, both in lowercase.
        public var deviceVerification: Data { deviceHash }

        /// The UUID that ``deviceVerification`` begins with; zeros if there is none.
        public var deviceVerificationNonce: UUID { deviceNonce }
    }
}

extension Product.SubscriptionInfo.RenewalInfo: Hashable, CustomDebugStringConvertible {
    /// Returns whether two values have the same properties.
    public static func == (lhs: Product.SubscriptionInfo.RenewalInfo, rhs: Product.SubscriptionInfo.RenewalInfo) -> Bool
    {
        lhs.signed.payload == rhs.signed.payload
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed.payload) }

    /// The JSON of ``jsonRepresentation``.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}
