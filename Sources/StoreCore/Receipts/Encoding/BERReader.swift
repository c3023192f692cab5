/// A reader of ASN.1 elements in the basic encoding rules (ITU-T X.690), which Xcode's receipts use.
///
/// Unlike ``DERReader``, it also accepts indefinite lengths, lengths that are not in shortest form, and octet strings
/// in segments. It enters elements only on request and moves forward, so deep nesting costs nothing.
package struct BERReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The end of the innermost element that the reader has entered.
    private var scope: Scope
    /// The ends of the elements around the innermost one.
    private var outer: [Scope] = []

    /// The end of an element.
    private struct Scope {
        /// The position after the element.
        ///
        /// For an element of indefinite length, the position after the next outer element of definite length.
        let limit: Int
        /// Whether two zero bytes end the element.
        let isIndefinite: Bool
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        scope = Scope(limit: bytes.count, isIndefinite: false)
    }

    /// Whether the innermost element has no further elements.
    package var isAtEnd: Bool {
        guard scope.isIndefinite else { return position == scope.limit }
        return scope.limit - position >= 2 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// Enters the next element; returns false if its tag is another one, or if it exceeds the element around it.
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

    /// Leaves the innermost element; returns false unless all of its contents have been read.
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

    /// Reads the next element, including its tag and length; the length must be definite.
    package mutating func element(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
        let start = position
        return read(tag) == nil ? nil : bytes[start..<position]
    }

    /// Reads an octet string, which may consist of segments; the segments must not be segmented again.
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

    /// Returns the start of the next element's contents, and their length; nil if the element is invalid.
    ///
    /// The length is nil if it is indefinite.
    private func header(_ tag: DER.Tag) -> (contents: Int, length: Int?)? {
        guard scope.limit - position >= 2, bytes[position] == tag.rawValue else { return nil }
        let first = bytes[position + 1]
        var contents = position + 2
        var length = Int(first)
        if first == 0x80 {
            // Only constructed elements may have an indefinite length.
            return tag.rawValue & 0x20 == 0 ? nil : (contents, nil)
        }
        if first > 0x80 {
            // A length of more than four bytes exceeds any receipt.
            let count = Int(first & 0x7f)
            guard count <= 4, scope.limit - contents >= count else { return nil }
            length = bytes[contents..<(contents + count)].reduce(0) { $0 << 8 | Int($1) }
            contents += count
        }
        return length <= scope.limit - contents ? (contents, length) : nil
    }
}
