import Foundation

/// A change to the payment for renewals.
enum BillingChange: Hashable, Codable, Sendable {
    /// Renewal charges to an account begin to fail, or succeed again.
    case fails(account: AccountID, Bool)
    /// The billing grace period, access after a failed renewal, was turned on or off.
    case gracePeriod(Bool)
    /// The limit on the number of renewals of a subscription changed.
    case renewalLimit(Int?)
    /// A period has ended and the renewal could not be charged.
    case renewalFailed(subscription: SubscriptionIndex, BillingTrouble)
    /// The grace period has ended; the store continues billing retry.
    case graceEnded(subscription: SubscriptionIndex)
    /// A period passed unpaid within the grace period; the store will charge the period after it.
    case leftOut(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A period ended before the paid time was over; the term is the shortened one.
    case cutShort(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A subscriber was asked to consent to a price, has answered, or is no longer asked.
    case priceIncrease(subscription: SubscriptionIndex, PriceIncrease?)
}

/// The sequence of a subscription's periods.
///
/// Months are counted from the day on which the sequence began rather than from the last renewal, also after an offer
/// or a change of the product: what began on the 31st renews on the 31st again after a shorter month.
struct BillingCycle: Hashable, Codable, Sendable {
    /// The end of the last period.
    let end: Date
    /// The day from which months are counted.
    private let anchor: Date
    /// The number of months counted since the anchor.
    private let months: Int
    /// The rate at which periods pass.
    private let rate: RenewalRate

    /// Creates a cycle whose first period begins at a moment.
    init(from start: Date, at rate: RenewalRate) { self.init(end: start, anchor: start, months: 0, rate: rate) }

    private init(end: Date, anchor: Date, months: Int, rate: RenewalRate) {
        self.end = end
        self.anchor = anchor
        self.months = months
        self.rate = rate
    }

    /// Returns the cycle with more periods added at its end.
    ///
    /// After a period of days, or a change of the store's rate, months are counted from the end of the period before.
    func adding(_ period: StoreProduct.Period, times count: Int = 1, at rate: RenewalRate) -> BillingCycle {
        guard let length = rate.months(in: period) else {
            return BillingCycle(from: rate.end(of: period, times: count, from: end), at: rate)
        }
        let start = rate == self.rate ? self : BillingCycle(from: end, at: rate)
        let months = start.months + length * count
        let end = rate.end(of: .init(1, .month), times: months, from: start.anchor)
        return BillingCycle(end: end, anchor: start.anchor, months: months, rate: rate)
    }
}

/// A failed renewal charge, with the end of its grace period and of billing retry.
struct BillingTrouble: Hashable, Codable, Sendable {
    /// The end of the grace period; nil without one, and once it is over.
    var graceEnd: Date?
    /// The end of billing retry.
    let retryEnd: Date

    /// The next moment at which the subscription changes if the charge keeps failing.
    var nextMoment: Date { graceEnd ?? retryEnd }
}
