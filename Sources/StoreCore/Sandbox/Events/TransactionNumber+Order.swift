// The identifiers of orders, by which a customer's invoice names a purchase: `M` and nine digits or letters.
extension TransactionNumber {
    private static var letters: [Character] { Array("0123456789ABCDEFGHJKLMNPQRSTVWXY") }
    private static var length: Int { 9 }
    private static var mask: UInt64 { 1 << UInt64(5 * length) - 1 }
    /// An odd factor, so that the identifiers of neighbors do not look alike.
    private static var factor: UInt64 { 0x9E37_79B9_7F4A_7C15 }
    /// The number by which the factor is undone: their product ends with the bits of 1.
    private static var inverse: UInt64 {
        // Each step doubles the number of bits that are right.
        (0..<6).reduce(factor) { inverse, _ in inverse &* (2 &- factor &* inverse) }
    }

    /// The identifier of the order that made the transaction; nil for a number that is too great for one.
    var orderIdentifier: String? {
        guard rawValue >= 0, UInt64(rawValue) <= Self.mask else { return nil }
        var rest = UInt64(rawValue) &* Self.factor & Self.mask
        var text: [Character] = []
        for _ in 0..<Self.length {
            text.append(Self.letters[Int(rest & 31)])
            rest >>= 5
        }
        return "M" + String(text.reversed())
    }

    /// Creates the number of the transaction that an order made, nil for what identifies no order.
    init?(order: String) {
        let text = Array(order)
        guard text.count == Self.length + 1, text[0] == "M" else { return nil }
        var bits: UInt64 = 0
        for letter in text.dropFirst() {
            guard let digit = Self.letters.firstIndex(of: letter) else { return nil }
            bits = bits << 5 | UInt64(digit)
        }
        self.init(rawValue: Int(bits &* Self.inverse & Self.mask))
    }
}
