import Foundation

extension StorekitFileReader {
    func price(
        _ text: String,
        at place: Place,
        _ key: String = "displayPrice"
    ) throws(StoreConfigurationError) -> Decimal {
        do {
            return try ExactPrice.read(text)
        } catch {
            let expected =
                switch error {
                case .malformed: Expectation.price
                case .negative: "a price of at least 0"
                case .tooLong: "a price of at most \(ExactPrice.maximumDigits) digits"
                }
            throw problem(place.path(key), expected, Expectation.quoted(text))
        }
    }

    /// Reads `P`, a number of at most four digits, and `D`, `W`, `M` or `Y`.
    func period(
        _ text: String,
        at place: Place,
        _ key: String
    ) throws(StoreConfigurationError) -> StoreProduct.Period {
        var letters = text.utf8.makeIterator()
        var count = 0
        var unit: StoreProduct.Period.Unit?
        if letters.next() == UInt8(ascii: "P") {
            while unit == nil, count < 10_000, let letter = letters.next() {
                switch letter {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): count = count * 10 + Int(letter - UInt8(ascii: "0"))
                case UInt8(ascii: "D"): unit = .day
                case UInt8(ascii: "W"): unit = .week
                case UInt8(ascii: "M"): unit = .month
                case UInt8(ascii: "Y"): unit = .year
                default: count = .max
                }
            }
        }
        guard let unit, count > 0, letters.next() == nil else {
            throw problem(place.path(key), Expectation.duration, Expectation.quoted(text))
        }
        return StoreProduct.Period(count, unit)
    }

    func whole(
        _ number: Double?,
        or usual: Int,
        from least: Int,
        at path: @autoclosure () -> String
    ) throws(StoreConfigurationError) -> Int {
        guard let number else { return usual }
        if let whole = Int(exactly: number), whole >= least { return whole }
        let found = Int(exactly: number).map(String.init) ?? "\(number)"
        throw problem(path(), least > .min ? "a whole number from \(least)" : "a whole number", found)
    }
}
