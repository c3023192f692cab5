import Foundation
import StoreCore

/// How prices, times and numbers read.
enum Wording {
    /// A price as its buyer reads it.
    ///
    /// - Parameters:
    ///   - amount: exact.
    ///   - locale: a product's `priceLocale`.
    /// - Returns: as in `$0.99`.
    static func price(_ amount: NSDecimalNumber, in locale: Locale) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = locale
        return formatter.string(from: amount) ?? "\(amount)"
    }

    /// A length of time; the unit may be any of Store Kit's or of the store's, which have the same names.
    static func time(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String { Self.count(count, "\(unit)") }

    /// How often something comes round.
    static func every(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String {
        count == 1 ? "every \(unit)" : "every \(time(count, unit))"
    }

    /// A number of things.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// A moment to the second, in UTC.
    static func moment(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension String {
    /// The text with spaces behind it, where it is shorter.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
