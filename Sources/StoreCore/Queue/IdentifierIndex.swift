/// Finds rows by a store's identifiers.
///
/// Many stores number their transactions. Numbers are kept as such: they hash in a third of the time, and a million of
/// them take a third of the room.
struct IdentifierIndex {
    private var numbers: [Int: Int] = [:]
    private var texts: [String: Int] = [:]

    var isEmpty: Bool { numbers.isEmpty && texts.isEmpty }

    func row(of identifier: String) -> Int? {
        if let number = Self.number(identifier) { numbers[number] } else { texts[identifier] }
    }

    /// Puts a row in unless there is one for the identifier.
    ///
    /// Returns the one that was there.
    mutating func insert(_ row: Int, for identifier: String) -> Int? {
        // One look-up for both, which is what restoring many at once comes down to.
        func claim(_ place: inout Int) -> Int? {
            guard place == 0 else { return place }
            place = row
            return nil
        }
        if let number = Self.number(identifier) { return claim(&numbers[number, default: 0]) }
        return claim(&texts[identifier, default: 0])
    }

    mutating func remove(_ identifier: String) {
        if let number = Self.number(identifier) { numbers[number] = nil } else { texts[identifier] = nil }
    }

    /// The number that an identifier spells, if it is the only spelling: no sign, no leading zeros.
    private static func number(_ identifier: String) -> Int? {
        let digits = identifier.utf8
        guard (1...18).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
        }
        return number
    }
}
