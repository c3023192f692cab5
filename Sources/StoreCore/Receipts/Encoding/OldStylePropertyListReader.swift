import Foundation

extension OldStylePropertyList {
    /// A reader of a list in place, in one pass.
    struct Reader {
        private let text: UnsafeRawBufferPointer
        /// The number of bytes read.
        private var place = 0

        /// Creates a reader of a text, which has to stay in place for as long as the reader is used.
        init(_ text: UnsafeRawBufferPointer) { self.text = text }

        var isAtEnd: Bool { place == text.count }

        /// Skips expected bytes; false, with nothing read, if others are there.
        @inline(__always)
        mutating func skip(_ expected: StaticString) -> Bool {
            let count = expected.utf8CodeUnitCount
            guard let start = text.baseAddress, text.count - place >= count,
                memcmp(start + place, expected.utf8Start, count) == 0
            else { return false }
            place += count
            return true
        }

        /// Reads up to and past the next quotation mark; returns the range before it.
        ///
        /// The bytes are not checked.
        mutating func rest() -> Range<Int>? {
            guard let start = text.baseAddress, let mark = memchr(start + place, Int32(quote), text.count - place)
            else {
                return nil
            }
            let begin = place
            let end = UnsafeRawPointer(mark) - start
            place = end + 1
            return begin..<end
        }

        /// Reads the rest of a string, with the quotation mark at its end; nil for a string that a ``Writer`` would not
        /// have written.
        mutating func string() -> String? {
            let start = place
            guard let range = rest() else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: text[range])
            if arePlain(bytes) { return String(decoding: bytes, as: UTF8.self) }
            place = start
            return escapedString()
        }

        private mutating func escapedString() -> String? {
            var units: [UInt16] = []
            while place < text.count {
                if text[place] == quote {
                    place += 1
                    // Nil for half a surrogate pair.
                    return String(validating: units, as: UTF16.self)
                }
                guard let unit = unit() else { return nil }
                units.append(unit)
            }
            return nil
        }

        private mutating func unit() -> UInt16? {
            guard let byte = next() else { return nil }
            guard byte == backslash else { return isPlain(byte) ? UInt16(byte) : nil }
            guard let letter = next() else { return nil }
            if let escaped = letters.first(where: { $0.letter == letter }) { return escaped.unit }
            guard letter == UInt8(ascii: "U") else { return nil }
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let digit = next().flatMap(hexadecimal) else { return nil }
                unit = unit << 4 | digit
            }
            // A unit has one encoding: a printable unit, or one with a letter, is not written by number.
            let byNumber = UInt8(exactly: unit).map { !isPlain($0) } ?? true
            return byNumber && !letters.contains { $0.unit == unit } ? unit : nil
        }

        private mutating func next() -> UInt8? {
            guard place < text.count else { return nil }
            defer { place += 1 }
            return text[place]
        }

        private func hexadecimal(_ digit: UInt8) -> UInt16? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(digit - UInt8(ascii: "a") + 10)
            default: nil
            }
        }
    }
}
