import Foundation

// No payload of this library's stores has what is here: they sell no year in monthly parts and no bundles.
extension Transaction {
    /// The way in which the subscription is billed; nil if the store does not tell.
    public var billingPlanType: SubscriptionInfo.BillingPlanType? {
        payload.billingPlanType.map { SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }

    /// The commitment that the period is a part of: always nil.
    public var commitmentInfo: CommitmentInfo? { nil }

    /// A subscriber's commitment to several billing periods.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
        /// The number of the transaction's period, counted from 1.
        public let billingPeriodNumber: UInt64
        /// The number of periods.
        public let totalBillingPeriods: UInt64
        /// The end of the last period.
        public let expirationDate: Date
        /// The price of all periods.
        public let price: Decimal
    }

    /// The original transaction of an earlier subscription that this one continues: always nil.
    public var previousOriginalTransactionID: UInt64? { nil }
    /// The product of the bundle that the subscription is a part of: always nil.
    public var bundleProductID: String? { nil }
    /// The transaction of the bundle that the subscription is a part of: always nil.
    public var bundleTransactionID: String? { nil }
    /// The transaction that the bundle began with: always nil.
    public var bundleOriginalTransactionID: String? { nil }
    /// The subscription group of the bundle: always nil.
    public var bundleSubscriptionGroupID: String? { nil }
}
