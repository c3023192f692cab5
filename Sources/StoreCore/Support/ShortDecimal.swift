import Foundation

/// A decimal number as two integers: 1.98 is 198 and -2.
///
/// It is part of the format of ledgers' records, which does not change.
struct ShortDecimal: BinaryCodable {
    private let significand: Int
    private let exponent: Int

    /// Returns nil for a number with more digits than an integer holds.
    init?(_ value: Decimal) {
        // A significand has a sign in some versions of Foundation; as an integer, one that is too large is the smallest.
        let digits = value.magnitude.significand
        guard digits <= Decimal(Int.max) else { return nil }
        significand = NSDecimalNumber(decimal: digits).intValue * (value < 0 ? -1 : 1)
        exponent = value.exponent
        guard self.value == value else { return nil }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        significand = try pack.int()
        exponent = try pack.int()
        // Decimal's own range: some versions of Foundation trap far beyond it.
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
