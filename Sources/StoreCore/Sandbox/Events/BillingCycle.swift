import Foundation

/// The sequence of a subscription's periods.
///
/// Months are counted from the first day rather than from the last, so that the 31st comes back after a shorter month:
/// also after an offer, and where another product takes over at the renewal.
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
    /// The cycle begins anew after periods of days, and where the store's rate has changed.
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
