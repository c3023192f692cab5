/// A reader of ASN.1 elements by the distinguished encoding rules, which accepts only what ``DER`` would write.
///
/// It enters an element only on request, so that no depth of nesting costs anything.
package struct DERReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads the contents of the next element; nil if it has another tag, is truncated, or has a length not in shortest
    /// form.
    package mutating func read(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
        var next = rest
        guard next.popFirst() == tag.rawValue, let length = Self.length(&next), length <= next.count else { return nil }
        let contents = next.prefix(length)
        rest = next.dropFirst(length)
        return contents
    }

    /// Reads the elements in the next one.
    package mutating func open(_ tag: DER.Tag) -> DERReader? { read(tag).map { DERReader($0) } }

    /// Reads a number of up to 64 bits.
    mutating func integer() -> Int64? {
        guard let bytes = read(.integer), let first = bytes.first, bytes.count <= 8 else { return nil }
        if bytes.count > 1, DER.isIdle(first, before: bytes[bytes.startIndex + 1]) { return nil }
        return bytes.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    mutating func utf8() -> String? { read(.utf8String).flatMap { String(validating: $0, as: UTF8.self) } }

    mutating func ia5() -> String? {
        read(.ia5String).flatMap { bytes in
            bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        // Four bytes of length exceed any receipt; none at all would be the indefinite form.
        let count = Int(first & 0x7f)
        guard (1...4).contains(count), bytes.count >= count else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.first != 0, length >= 0x80 else { return nil }
        bytes = bytes.dropFirst(count)
        return length
    }
}
