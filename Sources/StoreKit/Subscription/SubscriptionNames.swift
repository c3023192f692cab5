import Foundation

/// The subscription that a product is.
public typealias SubscriptionInfo = Product.SubscriptionInfo
/// A length of time in calendar units.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
/// Information about the next renewal of a subscription.
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
/// The state of a subscription.
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
/// The status of a subscription.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status

extension DateComponents {
    /// Creates the components of a subscription period: its unit's component has its value.
    public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
        self.init()
        switch period.unit {
        case .day: day = period.value
        case .week: weekOfYear = period.value
        case .month: month = period.value
        case .year: year = period.value
        }
    }
}
