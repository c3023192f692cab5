/// The NeXT property list that receipts before 2013 are written in: one dictionary of quoted strings, ASCII only.
///
///     {
///     <tab>"key" = "value";
///     }
///
/// without a line break at the end. Reading takes exactly what writing makes, so that a text has one spelling only.
enum OldStylePropertyList {
    typealias Entry = (key: String, value: String)

    /// Writes a list, entry by entry.
    struct Writer {
        private(set) var text: [UInt8]

        /// `capacity` is a guess at the length of the whole.
        init(capacity: Int) {
            text = []
            text.reserveCapacity(capacity)
            append("{\n")
        }

        /// Adds an entry whose value may hold anything.
        mutating func add(_ key: StaticString, _ value: String) { add(key) { $0.append(escaping: value) } }

        /// Adds an entry whose value is plain ASCII that needs no escaping.
        mutating func add(_ key: StaticString, plain value: some Collection<UInt8>) {
            add(key) { $0.text.append(contentsOf: value) }
        }

        /// Adds an entry whose value, plain ASCII too, is written by a function.
        mutating func add(_ key: StaticString, writing value: (inout [UInt8]) -> Void) { add(key) { value(&$0.text) } }

        /// The whole, which ends here.
        mutating func end() -> [UInt8] {
            append("}")
            return text
        }

        @inline(__always)
        private mutating func add(_ key: StaticString, _ value: (inout Writer) -> Void) {
            append("\t\"")
            append(key)
            append("\" = \"")
            value(&self)
            append("\";\n")
        }

        @inline(__always)
        private mutating func append(_ string: StaticString) {
            text.append(contentsOf: UnsafeBufferPointer(start: string.utf8Start, count: string.utf8CodeUnitCount))
        }

        private mutating func append(escaping string: String) {
            var string = string
            let isPlain = string.withUTF8 { bytes in
                guard bytes.allSatisfy(OldStylePropertyList.isPlain) else { return false }
                text.append(contentsOf: bytes)
                return true
            }
            if isPlain { return }
            for unit in string.utf16 { OldStylePropertyList.append(unit, to: &text) }
        }
    }

    /// The entries in the text's order, which may be any; nil for whatever a ``Writer`` would not have written.
    ///
    /// A key may come twice here: whoever knows the keys also knows better how often each may come.
    static func decode(_ text: [UInt8]) -> [Entry]? {
        var reader = Reader(text: text[...])
        var entries: [Entry] = []
        guard reader.skip("{\n") else { return nil }
        while reader.skip("\t") {
            guard let key = reader.quoted(), reader.skip(" = "), let value = reader.quoted(), reader.skip(";\n")
            else { return nil }
            entries.append((key, value))
        }
        guard reader.skip("}"), reader.text.isEmpty else { return nil }
        return entries
    }
}

// Strings. What ASCII cannot print is written by its UTF-16 units, `\U` and four lower-case hexadecimal digits each;
// quotation mark, backslash, tab, line feed and carriage return by a letter.
extension OldStylePropertyList {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    @inline(__always)
    fileprivate static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != quote && byte != backslash
    }

    fileprivate static func append(_ unit: UInt16, to text: inout [UInt8]) {
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

    private static let letters: [(letter: UInt8, unit: UInt16)] = [
        (quote, UInt16(quote)), (backslash, UInt16(backslash)),
        (UInt8(ascii: "n"), 0x0a), (UInt8(ascii: "r"), 0x0d), (UInt8(ascii: "t"), 0x09),
    ]

    private struct Reader {
        /// What is not read yet.
        var text: ArraySlice<UInt8>

        mutating func skip(_ expected: StaticString) -> Bool {
            let matches = expected.withUTF8Buffer { text.starts(with: $0) }
            if matches { text = text.dropFirst(expected.utf8CodeUnitCount) }
            return matches
        }

        mutating func quoted() -> String? {
            guard skip("\"") else { return nil }
            let count = text.withUnsafeBufferPointer { bytes in bytes.firstIndex { !isPlain($0) } ?? bytes.count }
            let plain = text.prefix(count)
            text = text.dropFirst(count)
            if skip("\"") { return String(decoding: plain, as: UTF8.self) }

            var units = plain.map(UInt16.init)
            while !skip("\"") {
                guard let unit = unit() else { return nil }
                units.append(unit)
            }
            // Nil for half a surrogate pair.
            return String(validating: units, as: UTF16.self)
        }

        private mutating func unit() -> UInt16? {
            guard let byte = text.popFirst() else { return nil }
            guard byte == backslash else { return isPlain(byte) ? UInt16(byte) : nil }
            guard let letter = text.popFirst() else { return nil }
            if let escaped = letters.first(where: { $0.letter == letter }) { return escaped.unit }
            guard letter == UInt8(ascii: "U"), text.count >= 4 else { return nil }
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let digit = text.popFirst().flatMap(hexadecimal) else { return nil }
                unit = unit << 4 | digit
            }
            // A unit has one spelling: what is printable or has a letter is not written by number.
            let byNumber = UInt8(exactly: unit).map { !isPlain($0) } ?? true
            return byNumber && !letters.contains { $0.unit == unit } ? unit : nil
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
