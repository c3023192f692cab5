import Foundation

/// How a subscription's periods follow one another.
///
/// Months are counted from the first day rather than from the last, so that the 31st comes back after a shorter month:
/// also after an offer, and where another product takes over at the renewal.
struct BillingCycle: Hashable, Codable, Sendable {
    /// The end of the last period.
    let end: Date
    /// From when months are counted.
    private let anchor: Date
    /// How many have been.
    private let months: Int
    /// At what rate.
    private let rate: RenewalRate

    /// A cycle whose first period begins at a moment.
    init(from start: Date, at rate: RenewalRate) { self.init(end: start, anchor: start, months: 0, rate: rate) }

    private init(end: Date, anchor: Date, months: Int, rate: RenewalRate) {
        self.end = end
        self.anchor = anchor
        self.months = months
        self.rate = rate
    }

    /// The cycle with some more periods behind the last.
    ///
    /// It begins anew after periods of days, and where the store's rate has changed.
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
