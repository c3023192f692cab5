extension StoreProduct.Period {
    /// Creates a period from its ISO 8601 form: `P`, a number of one to four digits that is not 0, and a unit.
    ///
    /// Nil for anything else, such as a length of several units.
    package init?(iso8601 text: String) {
        var letters = text.utf8.makeIterator()
        guard letters.next() == UInt8(ascii: "P") else { return nil }
        var count = 0
        var unit: Unit?
        while unit == nil, count < 10_000, let letter = letters.next() {
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): count = count * 10 + Int(letter - UInt8(ascii: "0"))
            case UInt8(ascii: "D"): unit = .day
            case UInt8(ascii: "W"): unit = .week
            case UInt8(ascii: "M"): unit = .month
            case UInt8(ascii: "Y"): unit = .year
            default: return nil
            }
        }
        guard let unit, count > 0, letters.next() == nil else { return nil }
        self.init(count, unit)
    }

    /// The ISO 8601 form, as in `P3M`.
    package var iso8601: String {
        let letter =
            switch unit {
            case .day: "D"
            case .week: "W"
            case .month: "M"
            case .year: "Y"
            }
        return "P\(count)\(letter)"
    }
}
