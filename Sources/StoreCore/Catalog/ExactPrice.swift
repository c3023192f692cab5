import Foundation

/// A parser of prices: digits and, if necessary, a point followed by more digits, as in `0.99` and `60`.
///
/// `Decimal(string:)` also accepts "0.99 or so", which is not a price, and is far slower.
enum ExactPrice {
    /// The reason why a text is not a price.
    enum Fault: Error, Equatable { case malformed, negative, tooLong }

    /// The maximum number of digits, which always fit into an unsigned 64-bit number.
    static let maximumDigits = 18

    /// Returns the price that a text spells.
    static func read(_ text: String) throws(Fault) -> Decimal {
        var mantissa: UInt64 = 0
        var digits = 0
        var digitsAfterPoint: Int?
        var isNegative = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= maximumDigits else { throw .tooLong }
                digitsAfterPoint = digitsAfterPoint.map { $0 + 1 }
                mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ".") where digits > 0 && digitsAfterPoint == nil: digitsAfterPoint = 0
            case UInt8(ascii: "-") where digits == 0 && !isNegative: isNegative = true
            default: throw .malformed
            }
        }
        guard digits > 0, digitsAfterPoint != 0 else { throw .malformed }
        guard !isNegative else { throw .negative }
        return Decimal(sign: .plus, exponent: -(digitsAfterPoint ?? 0), significand: Decimal(mantissa))
    }

    /// Returns a price written in source code; an invalid price is reported as a `ProductMistake`.
    ///
    /// Returns 0 if the mistake is caught.
    static func written(
        _ text: String,
        for thing: String,
        in product: String = "",
        file: StaticString,
        line: UInt
    ) -> Decimal {
        do {
            return try read(text)
        } catch {
            let advice = "write digits, at most \(maximumDigits), with a point where needed, as in \"0.99\""
            ProductMistake.report(
                "\"\(text)\" is no price for \(thing): \(advice)",
                in: product,
                file: file,
                line: line
            )
            return 0
        }
    }
}
