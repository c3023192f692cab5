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

    /// Reads the price of a product; an empty one, which Xcode writes, as 0.
    func productPrice(_ text: String, at place: Place) throws(StoreConfigurationError) -> Decimal {
        guard text.isEmpty else { return try price(text, at: place) }
        warn(problem(place.path("displayPrice"), Expectation.price, "\"\""), "it sells at 0")
        return 0
    }

    /// Reads `P`, a number of at most four digits, and `D`, `W`, `M` or `Y`.
    func period(
        _ text: String,
        at place: Place,
        _ key: String
    ) throws(StoreConfigurationError) -> StoreProduct.Period {
        guard let period = StoreProduct.Period(iso8601: text) else {
            throw problem(place.path(key), Expectation.duration, Expectation.quoted(text))
        }
        return period
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
