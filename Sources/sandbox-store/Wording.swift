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
    /// The text with its control characters escaped, except line breaks: no name in it can steer a terminal.
    var printable: String {
        let isEscaped = { (scalar: Unicode.Scalar) in scalar.isControl && scalar != "\n" }
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        return unicodeScalars.map { isEscaped($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// Returns the text padded with spaces to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Unicode.Scalar {
    /// Whether it ends a line or steers a terminal.
    var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
