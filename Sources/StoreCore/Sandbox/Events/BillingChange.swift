import Foundation

/// A change to the payment for renewals.
enum BillingChange: Hashable, Codable, Sendable {
    /// Renewal charges to an account begin to fail, or succeed again.
    case fails(account: AccountID, Bool)
    /// The billing grace period, access after a failed renewal, was turned on or off.
    case gracePeriod(Bool)
    /// The greatest number of renewals of a subscription.
    case renewalLimit(Int?)
    /// A period has ended and the renewal could not be charged.
    case renewalFailed(subscription: SubscriptionIndex, BillingTrouble)
    /// The grace period has ended; the store continues billing retry.
    case graceEnded(subscription: SubscriptionIndex)
    /// A period passed unpaid within the grace period: the period after it is next.
    case leftOut(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A period ended sooner than it was paid for; the term is its remainder.
    case cutShort(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A subscriber was asked to consent to a price, has answered, or is no longer asked.
    case priceIncrease(subscription: SubscriptionIndex, PriceIncrease?)
}
