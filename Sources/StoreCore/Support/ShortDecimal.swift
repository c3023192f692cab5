import Foundation

/// A decimal number as a significand and a power of ten: 1.98 is 198 and -2.
///
/// This is part of the format of ledgers' records, which must not change.
struct ShortDecimal: BinaryCodable {
    private let significand: Int
    private let exponent: Int

    /// Creates the pair; returns nil for a number with more digits than an integer holds.
    init?(_ value: Decimal) {
        // Some versions of Foundation sign a significand. Beyond `Int.max`, `intValue` would be `Int.min`.
        let digits = value.magnitude.significand
        guard digits <= Decimal(Int.max) else { return nil }
        significand = NSDecimalNumber(decimal: digits).intValue * (value < 0 ? -1 : 1)
        exponent = value.exponent
        guard self.value == value else { return nil }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        significand = try pack.int()
        exponent = try pack.int()
        // The exponents of a `Decimal`: some versions of Foundation trap far beyond them.
        guard -128...127 ~= exponent else { throw BinaryDecoder.Trouble() }
    }

    func pack(into pack: inout BinaryEncoder) {
        pack.add(significand)
        pack.add(exponent)
    }

    var value: Decimal {
        let magnitude = Decimal(significand.magnitude)
        return Decimal(sign: significand < 0 ? .minus : .plus, exponent: exponent, significand: magnitude)
    }
}
