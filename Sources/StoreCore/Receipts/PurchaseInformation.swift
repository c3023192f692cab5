import Foundation

/// What a transaction's receipt says, as verification tells it: the text inside a receipt, read into fields.
enum PurchaseInformation {
    private typealias Key = PurchaseInformationKey

    private static let indispensableNames = Set(Key.indispensable.map(\.name))

    /// What a text says, under the receipt's own names with underscores; nil if it is no receipt.
    ///
    /// Its entries may come in any order, and more of them than are known.
    static func fields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        // What is not as this library writes it is read for what it is.
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

// MARK: - As this library writes it

extension PurchaseInformation {
    /// Which keys a receipt has, a bit for each, and where the value of each is among its values.
    private struct Shape: Sendable {
        var keys: UInt32 = 0
        var places: [String: Int] = [:]
    }

    /// That of the last receipt.
    ///
    /// The next one mostly has the same, and then its names need not be hashed again.
    private static let lastShape = Locked(Shape())

    private static let indispensableBits = Key.indispensable.reduce(UInt32(0)) { $0 | bit(of: $1) }

    private static func bit(of key: Key) -> UInt32 { 1 << UInt32(key.rawValue) }

    /// Nil for what is written in any other way, be it a receipt or not.
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
