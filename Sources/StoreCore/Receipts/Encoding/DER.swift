/// The ASN.1 encoding of receipts, certificates and their signatures by the distinguished encoding rules (ITU-T X.690),
/// and no more of it.
package enum DER {
    /// The tag, the first byte of an element.
    package enum Tag: UInt8 {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case utf8String = 0x0c
        case ia5String = 0x16
        case utcTime = 0x17
        case generalizedTime = 0x18
        /// An octet string in segments, which only ``BERReader`` accepts.
        case segmentedOctetString = 0x24
        case sequence = 0x30
        case set = 0x31
        /// `[0]`, instead of a primitive element's own tag.
        case implicit0 = 0x80
        /// `[2]`, instead of a primitive element's own tag.
        case implicit2 = 0x82
        /// `[7]`, instead of a primitive element's own tag.
        case implicit7 = 0x87
        /// `[0]`, around an element that keeps its own tag.
        case explicit0 = 0xa0
        /// `[3]`, around an element that keeps its own tag.
        case explicit3 = 0xa3
    }

    /// Returns an element: its tag, the length of its contents, and the contents.
    package static func element(_ tag: Tag, _ contents: some Collection<UInt8>) -> [UInt8] {
        var bytes = header(tag, contents.count)
        bytes.reserveCapacity(bytes.count + contents.count)
        bytes += contents
        return bytes
    }

    /// Returns the header of an element: its tag and the length of its contents.
    package static func header(_ tag: Tag, _ length: Int) -> [UInt8] {
        if length < 0x80 { return [tag.rawValue, UInt8(length)] }
        let digits = bigEndian(UInt64(length))
        return [tag.rawValue, 0x80 | UInt8(digits.count)] + digits
    }

    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(.sequence, Array(elements.joined())) }

    /// Returns a SET OF, with its elements in the order of their bytes.
    package static func setOf(_ elements: [[UInt8]]) -> [UInt8] { element(.set, sorted(elements)) }

    /// Returns elements, one after the other, in the order of their bytes.
    static func sorted(_ elements: [[UInt8]]) -> [UInt8] {
        Array(elements.sorted { $0.lexicographicallyPrecedes($1) }.joined())
    }

    /// Returns a number in two's complement, in as few bytes as possible.
    package static func integer(_ number: Int64) -> [UInt8] {
        var bytes = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }[...]
        while bytes.count > 1, let first = bytes.first, isIdle(first, before: bytes[bytes.startIndex + 1]) {
            bytes = bytes.dropFirst()
        }
        return element(.integer, bytes)
    }

    /// Whether a byte only repeats the sign of the next one.
    static func isIdle(_ byte: UInt8, before next: UInt8) -> Bool {
        (byte == 0 && next < 0x80) || (byte == 0xff && next >= 0x80)
    }

    package static func utf8(_ text: String) -> [UInt8] { element(.utf8String, Array(text.utf8)) }

    /// Returns a text of ASCII only, such as a date.
    static func ia5(_ text: String) -> [UInt8] { element(.ia5String, Array(text.utf8)) }

    package static let null = element(.null, [])

    /// Returns an object identifier of at least two numbers.
    package static func objectIdentifier(_ numbers: [UInt64]) -> [UInt8] {
        let folded = [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)
        return element(.objectIdentifier, folded.flatMap(base128))
    }

    /// Returns a number in seven bits a byte, the highest first; all bytes but the last one are marked.
    private static func base128(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(0x80 | UInt8(rest & 0x7f), at: 0)
            rest >>= 7
        }
        return bytes
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        Array(withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }.drop { $0 == 0 })
    }
}
