import Foundation

// No payload of this library's stores has what is here: they sell no year in monthly parts and no bundles.
extension Product.SubscriptionInfo.RenewalInfo {
    /// The way in which the next period is billed; nil if the store does not tell.
    public var renewalBillingPlanType: SubscriptionInfo.BillingPlanType? {
        payload.renewalBillingPlanType.map { SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }

    /// The renewal of the commitment that the period is a part of: always nil.
    public var commitmentInfo: CommitmentInfo? { nil }

    /// The renewal of a subscriber's commitment to several billing periods.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
        /// Whether the commitment will renew.
        public let willAutoRenew: Bool
        /// The product of the next commitment.
        public let autoRenewPreference: String
        /// The way in which the next commitment is billed.
        public let renewalBillingPlanType: SubscriptionInfo.BillingPlanType
        /// The date on which the next commitment begins.
        public let renewalDate: Date
        /// The price of the next commitment.
        public let renewalPrice: Decimal
    }

    /// Whether the subscription will leave its bundle: always false.
    public var willUnbundle: Bool { false }
    /// The product of the bundle that the subscription is a part of: always nil.
    public var bundleProductID: String? { nil }
    /// The transaction that the bundle began with: always nil.
    public var bundleOriginalTransactionID: String? { nil }
    /// The subscription group of the bundle: always nil.
    public var bundleSubscriptionGroupID: String? { nil }
}
