import Foundation

/// The packed rows of the tables and arrays in a snapshot's JSON.
///
/// They follow the JSON, which has a number in the place of each. Rows in it would take a third more bytes, and be read
/// twice.
final class SnapshotRows: Sendable {
    private static let key = CodingUserInfoKey(rawValue: "SnapshotRows")
    private let packed: Locked<[Data]>
    private let unpacked: [BinaryDecoder]

    private init(_ unpacked: [BinaryDecoder] = []) {
        packed = Locked([])
        self.unpacked = unpacked
    }

    /// Encodes a value that has rows.
    static func encode(_ value: some Encodable, into pack: inout BinaryEncoder) throws {
        let rows = SnapshotRows()
        let encoder = JSONEncoder()
        // The same value has the same bytes, but for the order of sets.
        encoder.outputFormatting = .sortedKeys
        if let key { encoder.userInfo[key] = rows }
        pack.add(try encoder.encode(value))
        rows.packed.withLock { for data in $0 { pack.add(data) } }
    }

    /// Decodes what ``encode(_:into:)`` has made, to the end of the bytes.
    static func decode<Value: Decodable>(_ type: Value.Type, unpacking pack: inout BinaryDecoder) throws -> Value {
        let json = try pack.data()
        var parts: [BinaryDecoder] = []
        while !pack.isAtEnd { parts.append(try pack.part()) }
        let decoder = JSONDecoder()
        if let key { decoder.userInfo[key] = SnapshotRows(parts) }
        return try decoder.decode(type, from: json)
    }

    fileprivate static func add(_ rows: Data, to encoder: any Encoder) throws {
        guard let key, let all = encoder.userInfo[key] as? SnapshotRows else {
            let text = "Rows are encoded in a snapshot only"
            throw EncodingError.invalidValue(rows, .init(codingPath: encoder.codingPath, debugDescription: text))
        }
        let number = all.packed.withLock { packed in
            packed.append(rows)
            return packed.count - 1
        }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    fileprivate static func take(from decoder: any Decoder) throws -> BinaryDecoder {
        let number = try decoder.singleValueContainer().decode(Int.self)
        guard let key, let rows = decoder.userInfo[key] as? SnapshotRows, rows.unpacked.indices.contains(number) else {
            throw BinaryDecoder.Trouble()
        }
        return rows.unpacked[number]
    }
}

extension SlotTable where Row: BinaryCodable {
    /// The rows in bytes, each behind its number.
    var packed: Data {
        var pack = BinaryEncoder()
        forEach { number, row in
            pack.add(number)
            row.pack(into: &pack)
        }
        return pack.data
    }

    /// Reads all that is left as ``packed`` rows.
    init(unpacking pack: inout BinaryDecoder) throws { self = try Row.table(unpacking: &pack) }
}

extension SlotTable: Codable where Row: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        try self.init(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws { try SnapshotRows.add(packed, to: encoder) }
}

extension Table where Row: BinaryCodable {
    /// The rows in bytes.
    var packed: Data {
        var pack = BinaryEncoder()
        for row in self { row.pack(into: &pack) }
        return pack.data
    }

    /// Reads all that is left as ``packed`` rows.
    init(unpacking pack: inout BinaryDecoder) throws {
        var rows: [Row] = []
        while !pack.isAtEnd { rows.append(try Row(unpacking: &pack)) }
        self.init(rows)
    }
}

extension Table: Codable where Row: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        try self.init(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws { try SnapshotRows.add(packed, to: encoder) }
}

extension SegmentedArray: Codable where Element: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        self = try Element.array(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws {
        var pack = BinaryEncoder()
        for index in 0..<count { self[index].pack(into: &pack) }
        try SnapshotRows.add(pack.data, to: encoder)
    }
}
