import Foundation

/// A set of numbered attributes in DER, sorted by their bytes.
///
/// App receipts of the App Store, and the purchases in them, are such sets.
///
/// Each attribute is encoded when it is added, and copied once, when the set is encoded.
struct AttributeSet: ~Copyable {
    /// The attributes in the order in which they were added.
    private var bytes: ByteWriter
    private var elements: [Range<Int>] = []

    /// Creates an empty set; `capacity` is an estimate of its total length.
    init(capacity: Int = 512) {
        bytes = ByteWriter(capacity: capacity)
        elements.reserveCapacity(24)
    }

    /// Adds an attribute whose value is a number.
    mutating func add(_ type: Int64, integer: Int64) {
        begin(type, DER.length(of: integer))
        bytes.append(integer)
    }

    /// Adds an attribute whose value is a text.
    mutating func add(_ type: Int64, _ tag: DER.Tag, _ text: String) {
        var text = text
        text.withUTF8 { text in
            begin(type, DER.length(containing: text.count))
            bytes.append(tag, text.count)
            bytes.append(UnsafeRawBufferPointer(text))
        }
    }

    /// Adds an attribute whose value is a date, to the second.
    mutating func add(_ type: Int64, _ date: ReceiptDate) {
        begin(type, DER.length(containing: ReceiptDate.length))
        bytes.append(.ia5String, ReceiptDate.length)
        date.writeInternet(to: &bytes)
    }

    /// Adds an attribute whose value is bytes that are not in DER.
    mutating func add(_ type: Int64, version: Int64 = 1, raw value: Data) {
        begin(type, version: version, value.count)
        value.withUnsafeBytes { bytes.append($0) }
    }

    /// Adds an attribute whose value is a set of attributes.
    mutating func add(_ type: Int64, _ set: consuming AttributeSet) {
        begin(type, DER.length(containing: set.bytes.count))
        set.write(to: &bytes)
    }

    /// Adds an attribute that is already encoded.
    mutating func add(encoded element: [UInt8]) {
        elements.append(bytes.count..<(bytes.count + element.count))
        element.withUnsafeBytes { bytes.append($0) }
    }

    /// Adds the part of an attribute before its value.
    ///
    /// The caller then appends the value, which must have `value` bytes.
    private mutating func begin(_ type: Int64, version: Int64 = 1, _ value: Int) {
        let length = DER.length(of: type) + DER.length(of: version) + DER.length(containing: value)
        elements.append(bytes.count..<(bytes.count + DER.length(containing: length)))
        bytes.append(.sequence, length)
        bytes.append(type)
        bytes.append(version)
        bytes.append(.octetString, value)
    }
}

extension AttributeSet {
    /// Returns the encoded set.
    consuming func encoded() -> Data {
        var data = ByteWriter(capacity: DER.length(containing: bytes.count))
        write(to: &data)
        return data.finish()
    }

    /// Returns the encoded attributes, without the set around them, in the order in which they were added.
    consuming func unsorted() -> Data { bytes.finish() }

    /// Writes the encoded set.
    private mutating func write(to writer: inout ByteWriter) {
        bytes.withUnsafeBytes { bytes in
            // As all elements have the same tag, one with fewer bytes also has a smaller length field, and comes first.
            elements.sort { left, right in
                guard left.count == right.count else { return left.count < right.count }
                return memcmp(bytes.baseAddress! + left.lowerBound, bytes.baseAddress! + right.lowerBound, left.count)
                    < 0
            }
            writer.append(.set, bytes.count)
            for element in elements { writer.append(UnsafeRawBufferPointer(rebasing: bytes[element])) }
        }
    }
}
