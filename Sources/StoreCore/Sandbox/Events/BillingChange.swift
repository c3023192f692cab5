import Foundation

/// A change to the payment for renewals.
enum BillingChange: Hashable, Codable, Sendable {
    /// Renewal charges to an account begin to fail, or succeed again.
    case fails(account: AccountID, Bool)
    /// The billing grace period, in which access continues after a failed renewal, was turned on or off.
    case gracePeriod(Bool)
    /// The limit on the number of renewals of a subscription changed.
    case renewalLimit(Int?)
    /// A period has ended and the renewal could not be charged.
    case renewalFailed(subscription: SubscriptionIndex, BillingTrouble)
    /// The grace period has ended; the store continues billing retry.
    case graceEnded(subscription: SubscriptionIndex)
    /// A period passed unpaid within the grace period, and is skipped; the store charges a later one.
    case leftOut(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A paid period ended early; the term is the shortened one.
    case cutShort(subscription: SubscriptionIndex, SubscriptionTerm)
    /// A subscriber was asked to consent to a price increase or answered, or the request was withdrawn.
    case priceIncrease(subscription: SubscriptionIndex, PriceIncrease?)
}

/// The sequence of a subscription's periods.
///
/// Months are counted from the day on which the sequence began, not from the last renewal, even after an offer or a
/// change of product. A subscription that began on the 31st thus renews on the 31st again after a shorter month.
struct BillingCycle: Hashable, Codable, Sendable {
    /// The end of the last period.
    let end: Date
    /// The day from which months are counted.
    private let anchor: Date
    /// The number of months from the anchor to the end.
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
    /// A period in days moves the anchor to its own end. A change of the store's rate moves the anchor to the end of
    /// the last period at the old rate.
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

/// A failed renewal charge, with the ends of its grace period and of billing retry.
struct BillingTrouble: Hashable, Codable, Sendable {
    /// The end of the grace period; nil if there is none or it is over.
    var graceEnd: Date?
    /// The end of billing retry.
    let retryEnd: Date

    /// The next moment at which the subscription changes if the charge keeps failing.
    var nextMoment: Date { graceEnd ?? retryEnd }
}
