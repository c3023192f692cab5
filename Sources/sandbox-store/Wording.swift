import Foundation
import StoreCore

/// The formats of prices, times and numbers.
enum Wording {
    /// Returns a price as its buyer reads it.
    ///
    /// - Parameters:
    ///   - amount: the exact amount.
    ///   - locale: a product's `priceLocale`.
    /// - Returns: the formatted price, as in `$0.99`.
    static func price(_ amount: NSDecimalNumber, in locale: Locale) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = locale
        return formatter.string(from: amount) ?? "\(amount)"
    }

    /// Returns a length of time; the unit may be any of Store Kit's or of the store's, which have the same names.
    static func time(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String { Self.count(count, "\(unit)") }

    /// Returns a recurring interval.
    static func every(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String {
        count == 1 ? "every \(unit)" : "every \(time(count, unit))"
    }

    /// Returns a number with a noun.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Returns a date to the second, in UTC.
    static func moment(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension String {
    /// Returns the text padded with spaces to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
