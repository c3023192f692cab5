import Foundation

/// A property list in NeXT's format, used in receipts before 2013: one dictionary of quoted strings, in ASCII only.
///
///     {
///     <tab>"key" = "value";
///     }
///
/// There is no line break at the end. The reader accepts only what the writer writes: one encoding per text.
///
/// Characters that are not printable ASCII are written as UTF-16 code units: `\U` and four lowercase hexadecimal digits
/// for each. Quotation mark, backslash, tab, line feed and carriage return are written as a backslash and one
/// character.
enum OldStylePropertyList {
    @inline(__always)
    static var quote: UInt8 { UInt8(ascii: "\"") }
    @inline(__always)
    static var backslash: UInt8 { UInt8(ascii: "\\") }

    /// Returns whether a byte is written without being escaped.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool { (byte &- 0x20 < 0x5f) && (byte != quote) && (byte != backslash) }

    /// Returns the number of bytes before the first one that would be escaped; examines eight at a time.
    static func plainPrefix(of bytes: UnsafeRawBufferPointer) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(quote))
            let backslashes = word ^ (ones &* UInt64(backslash))
            // Sets the highest bit of each byte that is not plain; a borrow or a carry marks only bytes after such a one.
            var marks = (word &- (ones &* 0x20)) & ~word
            marks |= (quotes &- ones) & ~quotes
            marks |= (backslashes &- ones) & ~backslashes
            marks |= word | (word &+ ones)
            marks &= ones &* 0x80
            if marks != 0 { return index &+ marks.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < bytes.count, isPlain(bytes[index]) { index &+= 1 }
        return index
    }

    /// The UTF-16 code units that are written as a backslash and one character.
    static let letters: [(letter: UInt8, unit: UInt16)] = [
        (quote, UInt16(quote)), (backslash, UInt16(backslash)),
        (UInt8(ascii: "n"), 0x0a), (UInt8(ascii: "r"), 0x0d), (UInt8(ascii: "t"), 0x09),
    ]

    /// Appends one UTF-16 code unit of a string, escaped if necessary.
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
    /// A reader of a property list, which reads the text once and does not copy it.
    struct Reader {
        private let text: UnsafeRawBufferPointer
        /// The number of bytes read.
        private var place = 0

        /// Creates a reader of a text, which must stay in memory while the reader is used.
        init(_ text: UnsafeRawBufferPointer) { self.text = text }

        var isAtEnd: Bool { place == text.count }

        /// Skips the expected bytes; if other bytes follow, returns false and skips nothing.
        @inline(__always)
        mutating func skip(_ expected: StaticString) -> Bool {
            let count = expected.utf8CodeUnitCount
            guard let start = text.baseAddress, text.count - place >= count,
                memcmp(start + place, expected.utf8Start, count) == 0
            else { return false }
            place += count
            return true
        }

        /// Skips all bytes up to and including the next quotation mark, and returns the range of the bytes before the
        /// mark.
        ///
        /// The bytes in the range are not checked. Returns nil if there is no quotation mark.
        mutating func untilQuote() -> Range<Int>? {
            guard let start = text.baseAddress, let mark = memchr(start + place, Int32(quote), text.count - place)
            else {
                return nil
            }
            let begin = place
            let end = UnsafeRawPointer(mark) - start
            place = end + 1
            return begin..<end
        }

        /// Reads a string after its opening quotation mark; nil if a ``Writer`` would have written it differently.
        mutating func string() -> String? {
            guard let range = plainString() else { return escapedString() }
            return String(decoding: text[range], as: UTF8.self)
        }

        /// Reads a string after its opening quotation mark, and returns its place in the text.
        ///
        /// Returns nil, and reads nothing, if a character of it is escaped or should have been.
        mutating func plainString() -> Range<Int>? {
            let end = place + plainPrefix(of: UnsafeRawBufferPointer(rebasing: text[place...]))
            guard end < text.count, text[end] == quote else { return nil }
            defer { place = end + 1 }
            return place..<end
        }

        private mutating func escapedString() -> String? {
            var units: [UInt16] = []
            while place < text.count {
                if text[place] == quote {
                    place += 1
                    // The result is nil for an unpaired surrogate.
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
            // A code unit has one encoding: `\U` only if it is neither printable nor written with one character.
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
    /// A writer of a property list, one entry at a time.
    struct Writer: ~Copyable {
        private var text: ByteWriter

        /// Creates a writer; `prefix` is a byte before the list, and `capacity` an estimate of the total length.
        init(prefix: UInt8? = nil, capacity: Int) {
            text = ByteWriter(capacity: capacity)
            if let prefix { text.append(prefix) }
            text.append("{\n")
        }

        /// Adds an entry; the value may be any text.
        ///
        /// `opening` is the text before the value, as in `<tab>"key" = "`.
        mutating func add(_ opening: StaticString, _ value: String) {
            text.append(opening)
            var value = value
            let isPlain = value.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                guard OldStylePropertyList.plainPrefix(of: bytes) == bytes.count else { return false }
                text.append(bytes)
                return true
            }
            if !isPlain { for unit in value.utf16 { OldStylePropertyList.append(unit, to: &text) } }
            text.append("\";\n")
        }

        /// Adds an entry whose value is written by a function, and consists of characters that need not be escaped.
        @inline(__always)
        mutating func add(_ opening: StaticString, writing value: (inout ByteWriter) -> Void) {
            text.append(opening)
            value(&text)
            text.append("\";\n")
        }

        /// Returns the complete property list.
        consuming func end() -> ByteWriter {
            text.append("}")
            return text
        }
    }
}
