/// The NeXT property list that receipts before 2013 are written in: one dictionary of quoted strings, ASCII only.
///
///     {
///     <tab>"key" = "value";
///     }
///
/// without a line break at the end. Reading accepts exactly what writing makes, so that a text has one encoding only.
///
/// Characters that ASCII cannot print are written by their UTF-16 units, `\U` and four lowercase hexadecimal digits
/// each; quotation mark, backslash, tab, line feed and carriage return by a letter.
enum OldStylePropertyList {
    @inline(__always)
    static var quote: UInt8 { UInt8(ascii: "\"") }
    @inline(__always)
    static var backslash: UInt8 { UInt8(ascii: "\\") }

    /// Whether a byte is written unescaped.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        (byte &- 0x20 < 0x5f) && (byte != quote) && (byte != backslash)
    }

    /// Whether every byte is written unescaped.
    ///
    /// It examines all of them in any case, so that several can be examined in one step.
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

    /// The units that are escaped by a letter.
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
