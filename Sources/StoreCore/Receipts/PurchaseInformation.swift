import Foundation

/// The purchase information of a transaction's receipt, read into fields as verification reports them.
enum PurchaseInformation {
    private typealias Key = PurchaseInformationKey

    private static let indispensableNames = Set(Key.indispensable.map(\.name))

    /// Returns the fields of a text, under the receipt's own names with underscores; nil if it is not a receipt.
    ///
    /// Its entries may come in any order, and more of them than are known.
    static func fields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        // Texts in another form than this library's are read by the general reader.
        writtenFields(of: text) ?? anyFields(of: text)
    }

    private static func anyFields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        var reader = OldStylePropertyList.Reader(text)
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        var fields: [String: String] = [:]
        guard reader.skip("{\n") else { return nil }
        while reader.skip("\t\"") {
            guard let key = reader.string(), reader.skip(" = \""), let value = reader.string(), reader.skip(";\n")
            else { return nil }
            let name = String(decoding: key.utf8.map { $0 == hyphen ? underscore : $0 }, as: UTF8.self)
            guard fields.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard reader.skip("}"), reader.isAtEnd, indispensableNames.isSubset(of: fields.keys) else { return nil }
        return fields
    }
}

// MARK: - This library's form

extension PurchaseInformation {
    /// The keys of a receipt, a bit for each, and the index of each one's value among its values.
    private struct Shape: Sendable {
        var keys: UInt32 = 0
        var places: [String: Int] = [:]
    }

    /// The shape of the last receipt.
    ///
    /// The next one usually has the same, and then its names need not be hashed again.
    private static let lastShape = Locked(Shape())

    private static let indispensableBits = Key.indispensable.reduce(UInt32(0)) { $0 | bit(of: $1) }

    private static func bit(of key: Key) -> UInt32 { 1 << UInt32(key.rawValue) }

    /// Returns nil for a text in any other form, whether it is a receipt or not.
    private static func writtenFields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        var reader = OldStylePropertyList.Reader(text)
        var present: UInt32 = 0
        var values: [String] = []
        values.reserveCapacity(Key.allCases.count)
        guard reader.skip("{\n") else { return nil }
        for key in Key.allCases where reader.skip(key.opening) {
            guard let value = reader.string(), reader.skip(";\n") else { return nil }
            present |= bit(of: key)
            values.append(value)
        }
        guard reader.skip("}"), reader.isAtEnd, present & indispensableBits == indispensableBits else { return nil }
        return places(of: present).mapValues { values[$0] }
    }

    private static func places(of present: UInt32) -> [String: Int] {
        let known = lastShape.withLock { $0.keys == present ? $0.places : nil }
        if let known { return known }
        let names = Key.allCases.filter { present & bit(of: $0) != 0 }.map(\.name)
        let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        lastShape.withLock { $0 = Shape(keys: present, places: places) }
        return places
    }
}
