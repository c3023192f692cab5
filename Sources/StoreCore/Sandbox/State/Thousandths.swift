import Foundation

/// Amounts in thousandths, as signed payloads have them.
///
/// The last amount is kept: a store charges few different ones, and dividing decimal numbers costs more than a purchase.
struct Thousandths: Sendable {
    private var last: (amount: Decimal, thousandths: Int64?) = (0, 0)

    /// Returns an amount in thousandths, nil for one that no whole number of 64 bits holds.
    mutating func thousandths(of amount: Decimal) -> Int64? {
        if amount != last.amount { last = (amount, Self.exact(amount)) }
        return last.thousandths
    }

    /// Returns an amount in thousandths, in the same way.
    static func exact(_ amount: Decimal) -> Int64? {
        var (exact, rounded) = (amount * 1000, Decimal())
        NSDecimalRound(&rounded, &exact, 0, .plain)
        return Int64(rounded.description)
    }
}
