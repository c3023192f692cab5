import Foundation

/// A change around the payment for renewals.
enum BillingChange: Hashable, Codable, Sendable {
    /// An account's renewals cannot be paid for, or can again.
    case fails(account: Int, Bool)
    /// Whether access goes on for a while after a renewal has failed.
    case gracePeriod(Bool)
    /// How often subscriptions renew at the most.
    case renewalLimit(Int?)
    /// A period is over and the next one could not be paid for.
    case renewalFailed(subscription: Int, BillingTrouble)
    /// The grace period is over; the store goes on trying to collect.
    case graceEnded(subscription: Int)
    /// A period passed in the grace period and was not paid for: the one behind it is next.
    case leftOut(subscription: Int, SubscriptionTerm)
    /// A period was over sooner than was paid for: this is what is left of it.
    case cutShort(subscription: Int, SubscriptionTerm)
    /// A subscriber was asked to agree to a price, or has answered, or is not asked any more.
    case priceIncrease(subscription: Int, PriceIncrease?)
}
