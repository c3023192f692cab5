/// A writer of DER from the end of a buffer to its beginning.
struct BackwardWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// The place of the first byte that is written.
    private(set) var place: Int

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
        place = buffer.count
    }

    private mutating func byte(_ byte: UInt8) {
        place -= 1
        buffer[place] = byte
    }

    mutating func bytes(_ bytes: [UInt8]) {
        place -= bytes.count
        _ = buffer[place...].initialize(fromContentsOf: bytes)
    }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            place -= bytes.count
            _ = buffer[place...].initialize(fromContentsOf: bytes)
        }
    }

    /// Writes the tag and the length of what ends at a place.
    mutating func header(_ tag: UInt8, from end: Int) {
        var length = end - place
        if length < 0x80 {
            byte(UInt8(length))
        } else {
            let last = place
            while length > 0 {
                byte(UInt8(truncatingIfNeeded: length))
                length >>= 8
            }
            byte(0x80 | UInt8(last - place))
        }
        byte(tag)
    }

    /// Writes a number that is not negative.
    mutating func integer(_ number: Int) {
        let end = place
        var rest = number
        repeat {
            byte(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        } while rest > 0
        if buffer[place] >= 0x80 { byte(0) }
        header(0x02, from: end)
    }

    /// Writes a date as `2025-01-01T09:00:00Z`.
    mutating func date(_ seconds: Int) {
        let (days, second) = (seconds / 86_400, seconds % 86_400)
        // The civil calendar in years from March on, within eras of 400 years.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        byte(UInt8(ascii: "Z"))
        digits(second % 60, 2)
        byte(UInt8(ascii: ":"))
        digits(second / 60 % 60, 2)
        byte(UInt8(ascii: ":"))
        digits(second / 3_600, 2)
        byte(UInt8(ascii: "T"))
        digits(day, 2)
        byte(UInt8(ascii: "-"))
        digits(isNextYear ? month - 9 : month + 3, 2)
        byte(UInt8(ascii: "-"))
        digits(yearOfEra + era * 400 + (isNextYear ? 1 : 0), 4)
    }

    private mutating func digits(_ number: Int, _ count: Int) {
        var rest = number
        for _ in 0..<count {
            byte(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
    }
}
