/// A reader of ASN.1 elements by the basic encoding rules (ITU-T X.690), which Xcode's receipts use.
///
/// Unlike ``DERReader`` it also accepts indefinite lengths, lengths in long form, and octet strings in segments. It enters
/// an element only on request and moves forward only, so false lengths and deep nesting cost nothing.
package struct BERReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The end of the innermost element.
    private var scope: Scope
    /// The ends of the elements around it.
    private var outer: [Scope] = []

    /// The end of an element.
    private struct Scope {
        /// The first byte after the element, or after the innermost one around it that has a length.
        let limit: Int
        /// Whether two zero bytes end the element.
        let isIndefinite: Bool
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        scope = Scope(limit: bytes.count, isIndefinite: false)
    }

    /// Whether the innermost element has no further elements in it.
    package var isAtEnd: Bool {
        guard scope.isIndefinite else { return position == scope.limit }
        return scope.limit - position >= 2 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// Enters the next element; returns false if it has another tag, or a length that exceeds the element around it.
    package mutating func enter(_ tag: DER.Tag) -> Bool {
        guard let header = header(tag) else { return false }
        outer.append(scope)
        position = header.contents
        scope = Scope(
            limit: header.length.map { header.contents + $0 } ?? scope.limit,
            isIndefinite: header.length == nil
        )
        return true
    }

    /// Leaves the innermost element; returns false unless all of it has been read.
    package mutating func leave() -> Bool {
        guard isAtEnd, let around = outer.popLast() else { return false }
        if scope.isIndefinite { position += 2 }
        scope = around
        return true
    }

    /// Reads the contents of the next element, whose length must be definite.
    package mutating func read(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
        guard let header = header(tag), let length = header.length else { return nil }
        position = header.contents + length
        return bytes[header.contents..<position]
    }

    /// Reads the next element with its tag and its length, which must be definite.
    package mutating func element(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
        let start = position
        return read(tag) == nil ? nil : bytes[start..<position]
    }

    /// Reads an octet string, in one piece or in segments that are not segmented themselves.
    package mutating func octets() -> [UInt8]? {
        if let whole = read(.octetString) { return Array(whole) }
        guard enter(.segmentedOctetString) else { return nil }
        var octets: [UInt8] = []
        while !isAtEnd {
            guard let segment = read(.octetString) else { return nil }
            octets += segment
        }
        return leave() ? octets : nil
    }

    /// The next element's contents, and their length unless it is indefinite; nil if it is not within the innermost one.
    private func header(_ tag: DER.Tag) -> (contents: Int, length: Int?)? {
        guard scope.limit - position >= 2, bytes[position] == tag.rawValue else { return nil }
        let first = bytes[position + 1]
        var contents = position + 2
        var length = Int(first)
        if first == 0x80 {
            // Only a constructed element may have an indefinite length.
            return tag.rawValue & 0x20 == 0 ? nil : (contents, nil)
        }
        if first > 0x80 {
            // Four bytes of length exceed any receipt.
            let count = Int(first & 0x7f)
            guard count <= 4, scope.limit - contents >= count else { return nil }
            length = bytes[contents..<(contents + count)].reduce(0) { $0 << 8 | Int($1) }
            contents += count
        }
        return length <= scope.limit - contents ? (contents, length) : nil
    }
}
