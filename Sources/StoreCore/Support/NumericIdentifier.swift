extension Int64 {
    /// Makes the number that an identifier spells; nil unless it is the only spelling: "7", but neither "007" nor "+7".
    ///
    /// Identifiers of counted things are such numbers; numbers of more than eighteen digits are not converted.
    init?(spelledBy identifier: String) {
        var identifier = identifier
        let number = identifier.withUTF8 { digits -> Int64? in
            guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else {
                return nil
            }
            var number: Int64 = 0
            for digit in digits {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                number = number &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
            }
            return number
        }
        guard let number else { return nil }
        self = number
    }
}
