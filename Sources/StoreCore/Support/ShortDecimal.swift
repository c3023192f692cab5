import Foundation

/// A decimal number as a significand and a power of ten: 1.98 is 198 and -2.
///
/// This is part of the format of ledgers' records, which must not change.
struct ShortDecimal: BinaryCodable {
    private let significand: Int
    private let exponent: Int

    /// Creates the pair; returns nil for a number with more digits than an integer holds.
    init?(_ value: Decimal) {
        // In some versions of Foundation, a significand has a sign. Beyond `Int.max`, `intValue` would be `Int.min`.
        let digits = value.magnitude.significand
        guard digits <= Decimal(Int.max) else { return nil }
        significand = NSDecimalNumber(decimal: digits).intValue * (value < 0 ? -1 : 1)
        exponent = value.exponent
        guard self.value == value else { return nil }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        significand = try pack.int()
        exponent = try pack.int()
        // The range of a `Decimal`'s exponent: some versions of Foundation trap on an exponent far outside of it.
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
