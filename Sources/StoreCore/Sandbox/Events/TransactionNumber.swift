/// The number of a transaction, counted from 1 in the order of creation.
///
/// The transaction's identifier is this number in decimal digits.
struct TransactionNumber: TypedNumber {
    let rawValue: Int

    /// The identifier of the transaction.
    var identifier: String { String(rawValue) }
}

extension TransactionNumber {
    /// Creates a number from a transaction identifier; nil for text that is never assigned as one, such as "007".
    init?(_ identifier: String) {
        guard let value = Int64(spelledBy: identifier).flatMap(Int.init(exactly:)) else { return nil }
        self.init(rawValue: value)
    }
}

// The identifiers of orders, by which a customer's invoice names a purchase: `M` and nine digits or letters.
extension TransactionNumber {
    private static var letters: [Character] { Array("0123456789ABCDEFGHJKLMNPQRSTVWXY") }
    private static var length: Int { 9 }
    private static var mask: UInt64 { 1 << UInt64(5 * length) - 1 }
    /// An odd factor, so that neighboring identifiers do not look alike.
    private static var factor: UInt64 { 0x9E37_79B9_7F4A_7C15 }
    /// The multiplicative inverse of the factor modulo 2^64.
    private static var inverse: UInt64 {
        // Each step doubles the number of correct bits.
        (0..<6).reduce(factor) { inverse, _ in inverse &* (2 &- factor &* inverse) }
    }

    /// The identifier of the order that created the transaction; nil for a number that is too large for one.
    var orderIdentifier: String? {
        guard rawValue >= 0, UInt64(rawValue) <= Self.mask else { return nil }
        var remaining = UInt64(rawValue) &* Self.factor & Self.mask
        var text: [Character] = []
        for _ in 0..<Self.length {
            text.append(Self.letters[Int(remaining & 31)])
            remaining >>= 5
        }
        return "M" + String(text.reversed())
    }

    /// Creates the number of the transaction that an order created; nil if the text is no order identifier.
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

// The numbers by which events name a store's objects: counted from 0 in the order of creation, and never reused.

/// The number of an account.
struct AccountID: TypedNumber { let rawValue: Int }

/// The number of a device.
struct DeviceID: TypedNumber { let rawValue: Int }

/// The number of a family.
struct FamilyID: TypedNumber { let rawValue: Int }

/// The number of a subscription, which one account has in one group.
struct SubscriptionIndex: TypedNumber { let rawValue: Int }

/// The number of a purchase in the history of its account.
struct PurchaseIndex: TypedNumber { let rawValue: Int }
