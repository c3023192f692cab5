import Foundation

/// Reads prices as a store writes them: digits and, where needed, a point with more digits behind it (`0.99`, `60`).
///
/// `Decimal(string:)` also takes "0.99 or so", which is the wrong answer for a price, and is far slower.
enum ExactPrice {
    /// The fault of a text that is not a price.
    enum Fault: Error, Equatable { case malformed, negative, tooLong }

    /// The number of digits that always fit an unsigned 64-bit number.
    static let maximumDigits = 18

    /// Returns the price in a text, read digit by digit.
    static func read(_ text: String) throws(Fault) -> Decimal {
        var mantissa: UInt64 = 0
        var digits = 0
        var digitsBehindPoint: Int?
        var isNegative = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= maximumDigits else { throw .tooLong }
                digitsBehindPoint = digitsBehindPoint.map { $0 + 1 }
                mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ".") where digits > 0 && digitsBehindPoint == nil:
                digitsBehindPoint = 0
            case UInt8(ascii: "-") where digits == 0 && !isNegative:
                isNegative = true
            default:
                throw .malformed
            }
        }
        guard digits > 0, digitsBehindPoint != 0 else { throw .malformed }
        guard !isNegative else { throw .negative }
        return Decimal(sign: .plus, exponent: -(digitsBehindPoint ?? 0), significand: Decimal(mantissa))
    }

    /// Returns the price in a program's text, where a bad one is the programmer's mistake; 0 where that is caught.
    static func written(_ text: String, for thing: String, in product: String = "") -> Decimal {
        do {
            return try read(text)
        } catch {
            let advice = "write digits, at most \(maximumDigits), with a point where needed, as in \"0.99\""
            ProductMistake.report("\"\(text)\" is no price for \(thing): \(advice)", in: product)
            return 0
        }
    }
}
