/// A set of numbered attributes in DER, in the order of their bytes: the content of the App Store's app receipts and of
/// each purchase in them.
///
/// All attributes of a set have the same tag, so that the order of their bytes is that of their lengths, then of their
/// types. No bytes are compared, and each value is encoded once, into the same memory.
struct AttributeSet {
    private var values: [UInt8] = []
    private var attributes: [Attribute] = []
    /// The number of bytes of all attributes, encoded.
    private var contentLength = 0

    private struct Attribute {
        let type: Int64
        let version: Int64
        let value: Range<Int>
        /// The number of bytes without the sequence's own header.
        let length: Int

        /// The place in the order of bytes: by length, then by type, none of which has more than 16 bits.
        let place: Int
    }

    /// Creates an empty set.
    init() {
        values.reserveCapacity(256)
        attributes.reserveCapacity(24)
    }

    /// Adds an attribute with a number.
    mutating func add(_ type: Int64, integer: Int64) {
        let start = values.count
        DER.append(integer, to: &values)
        close(type, from: start)
    }

    /// Adds an attribute with a text.
    mutating func add(_ type: Int64, _ tag: DER.Tag, _ text: String) {
        let start = values.count
        DER.appendHeader(tag, text.utf8.count, to: &values)
        values += text.utf8
        close(type, from: start)
    }

    /// Adds an attribute with a date, kept to the second.
    mutating func add(_ type: Int64, _ date: ReceiptDate) {
        let start = values.count
        DER.appendHeader(.ia5String, ReceiptDate.length, to: &values)
        date.appendInternet(to: &values)
        close(type, from: start)
    }

    /// Adds an attribute with bytes that are not in DER.
    mutating func add(_ type: Int64, version: Int64 = 1, raw bytes: some Sequence<UInt8>) {
        let start = values.count
        values += bytes
        close(type, version: version, from: start)
    }

    private mutating func close(_ type: Int64, version: Int64 = 1, from start: Int) {
        let value = start..<values.count
        let length = DER.length(of: type) + DER.length(of: version) + DER.length(containing: value.count)
        let place = length << 16 | Int(type)
        attributes.append(Attribute(type: type, version: version, value: value, length: length, place: place))
        contentLength += DER.length(containing: length)
    }
}

extension AttributeSet {
    /// Empties the set, and keeps its memory for the next.
    mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        contentLength = 0
    }

    /// Returns the attributes in their order, each encoded.
    mutating func elements() -> [[UInt8]] {
        sort()
        return attributes.map { attribute in
            Self.bytes(DER.length(containing: attribute.length)) { append(attribute, to: &$0) }
        }
    }

    /// Returns an attribute whose value is this set, encoded.
    mutating func element(_ type: Int64) -> [UInt8] {
        sort()
        let value = DER.length(containing: contentLength)
        let version: Int64 = 1
        let length = DER.length(of: type) + DER.length(of: version) + DER.length(containing: value)
        return Self.bytes(DER.length(containing: length)) { place in
            place.appendHeader(.sequence, length)
            place.append(type)
            place.append(version)
            place.appendHeader(.octetString, value)
            place.appendHeader(.set, contentLength)
            for attribute in attributes { append(attribute, to: &place) }
        }
    }

    private mutating func sort() { attributes.sort { $0.place < $1.place } }

    private func append(_ attribute: Attribute, to place: inout DERPlace) {
        place.appendHeader(.sequence, attribute.length)
        place.append(attribute.type)
        place.append(attribute.version)
        place.appendHeader(.octetString, attribute.value.count)
        place.append(values[attribute.value])
    }

    /// Returns exactly so many bytes, which a function writes.
    private static func bytes(_ length: Int, _ write: (inout DERPlace) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var place = DERPlace(buffer)
            write(&place)
            count = length
        }
    }
}
