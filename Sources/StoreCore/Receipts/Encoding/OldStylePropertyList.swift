import Foundation

/// The NeXT property list that receipts before 2013 are written in: one dictionary of quoted strings, ASCII only.
///
///     {
///     <tab>"key" = "value";
///     }
///
/// without a line break at the end. The reader accepts exactly what the writer produces, so a text has only one encoding.
///
/// Characters that ASCII cannot print are written as their UTF-16 units, `\U` and four lowercase hexadecimal digits each;
/// quotation mark, backslash, tab, line feed and carriage return as a letter after a backslash.
enum OldStylePropertyList {
    @inline(__always)
    static var quote: UInt8 { UInt8(ascii: "\"") }
    @inline(__always)
    static var backslash: UInt8 { UInt8(ascii: "\\") }

    /// Returns whether a byte is written unescaped.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        (byte &- 0x20 < 0x5f) && (byte != quote) && (byte != backslash)
    }

    /// Returns whether every byte is written unescaped.
    ///
    /// It always examines all of them, so that several can be examined in one step.
    @inline(__always)
    static func arePlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var others: UInt8 = 0
        var index = 0
        while index < bytes.count {
            let byte = start[index]
            others |= (byte &- 0x20 < 0x5f ? 0 : 1) | (byte == quote ? 1 : 0) | (byte == backslash ? 1 : 0)
            index &+= 1
        }
        return others == 0
    }

    /// The units that are escaped as a letter.
    static let letters: [(letter: UInt8, unit: UInt16)] = [
        (quote, UInt16(quote)), (backslash, UInt16(backslash)),
        (UInt8(ascii: "n"), 0x0a), (UInt8(ascii: "r"), 0x0d), (UInt8(ascii: "t"), 0x09),
    ]

    /// Appends one UTF-16 unit of a string.
    static func append(_ unit: UInt16, to text: inout ByteWriter) {
        if let byte = UInt8(exactly: unit), isPlain(byte) {
            text.append(byte)
            return
        }
        text.append(backslash)
        if let letter = letters.first(where: { $0.unit == unit })?.letter {
            text.append(letter)
        } else {
            text.append(UInt8(ascii: "U"))
            for shift in [12, 8, 4, 0] {
                let digit = UInt8(unit >> UInt16(shift) & 0xf)
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}

extension OldStylePropertyList {
    /// A reader of a list in place, in one pass.
    struct Reader {
        private let text: UnsafeRawBufferPointer
        /// The number of bytes read.
        private var place = 0

        /// Creates a reader of a text, which must stay in memory while the reader is used.
        init(_ text: UnsafeRawBufferPointer) { self.text = text }

        var isAtEnd: Bool { place == text.count }

        /// Skips expected bytes; returns false, and reads nothing, if there are others.
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

        /// Reads the remainder of a string, with the quotation mark at its end; nil for a string that a ``Writer`` would
        /// not have written.
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
                    // Nil for an unpaired surrogate.
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
            // A unit has one encoding: only a unit that is not printable and has no letter is written as a number.
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

extension OldStylePropertyList {
    /// A writer of a list, entry by entry.
    struct Writer: ~Copyable {
        private var text: ByteWriter

        /// Creates a writer; `prefix` precedes the list, and `capacity` is an estimate of the total length.
        init(behind prefix: UInt8? = nil, capacity: Int) {
            text = ByteWriter(capacity: capacity)
            if let prefix { text.append(prefix) }
            text.append("{\n")
        }

        /// Adds an entry with any value.
        ///
        /// `opening` is the text before the value: `<tab>"key" = "`.
        mutating func add(_ opening: StaticString, _ value: String) {
            text.append(opening)
            var value = value
            let isPlain = value.withUTF8 { bytes in
                guard OldStylePropertyList.arePlain(UnsafeRawBufferPointer(bytes)) else { return false }
                text.append(UnsafeRawBufferPointer(bytes))
                return true
            }
            if !isPlain { for unit in value.utf16 { OldStylePropertyList.append(unit, to: &text) } }
            text.append("\";\n")
        }

        /// Adds an entry whose value is plain ASCII that needs no escaping.
        mutating func add(_ opening: StaticString, plain value: Data) {
            text.append(opening)
            value.withUnsafeBytes { text.append($0) }
            text.append("\";\n")
        }

        /// Adds an entry whose value, also plain ASCII, a function writes.
        @inline(__always)
        mutating func add(_ opening: StaticString, writing value: (inout ByteWriter) -> Void) {
            text.append(opening)
            value(&text)
            text.append("\";\n")
        }

        /// Returns the completed list.
        consuming func end() -> Data {
            text.append("}")
            return text.finish()
        }
    }
}
