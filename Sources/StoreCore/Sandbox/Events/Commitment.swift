import Foundation

/// A subscriber's commitment to twelve monthly payments, as of one of its periods.
///
/// A class, so that a term without a commitment stores one empty reference.
final class Commitment: Hashable, Codable, Sendable {
    /// The number of payments.
    static let count = 12
    /// The time between two payments.
    static let period = StoreProduct.Period(1, .month)

    /// The number of the period, from 1; 0 for an offer's period that precedes the commitment.
    let number: Int
    /// The price of a payment without an offer, which stays the same until the end.
    let price: Decimal
    /// The price of all payments.
    let total: Decimal
    /// The end of the last period.
    ///
    /// It moves when a failed payment is recovered, and when the period ends earlier or later.
    let end: Date

    /// Creates a commitment as of a period that ends with a cycle.
    convenience init(_ terms: StoreProduct.BillingTerms, number: Int, cycle: BillingCycle, _ rate: RenewalRate) {
        self.init(number: number, price: terms.price, total: terms.commitmentPrice, cycle: cycle, rate)
    }

    private init(number: Int, price: Decimal, total: Decimal, cycle: BillingCycle, _ rate: RenewalRate) {
        self.number = number
        self.price = price
        self.total = total
        let rest = Self.count - number
        end = rest == 0 ? cycle.end : cycle.adding(Self.period, times: rest, at: rate).end
    }

    /// Whether the commitment has begun, and payments remain.
    var isOpen: Bool { number > 0 && number < Self.count }

    /// Returns the commitment as of its next period.
    func next(cycle: BillingCycle, _ rate: RenewalRate) -> Commitment {
        Commitment(number: number + 1, price: price, total: total, cycle: cycle, rate)
    }

    /// Returns the commitment as of the same period with another end.
    func moved(to cycle: BillingCycle, _ rate: RenewalRate) -> Commitment {
        Commitment(number: number, price: price, total: total, cycle: cycle, rate)
    }

    static func == (left: Commitment, right: Commitment) -> Bool {
        left.number == right.number && left.price == right.price && left.total == right.total && left.end == right.end
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(end)
    }
}
