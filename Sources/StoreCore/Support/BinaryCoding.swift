import Foundation

/// A type with a compact binary format: fields without names, one after the other.
///
/// A change of a packed type requires a change of ``SandboxState/snapshotVersion``. The types in ledgers' records,
/// orders and payments among them, must not change: records of older files could not be read.
protocol BinaryCodable {
    func pack(into pack: inout BinaryEncoder)
    init(unpacking pack: inout BinaryDecoder) throws
}

/// An encoder that appends fields to bytes.
struct BinaryEncoder {
    // An array, since appending a byte to a `Data` takes a hundred times as long.
    private var bytes: [UInt8] = []

    var data: Data { bytes.withUnsafeBytes { Data($0) } }

    init() { bytes.reserveCapacity(128) }

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    /// Adds a number in as few bytes as possible: small numbers, also negative ones, in one.
    mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number << 1 ^ number >> (Int.bitWidth - 1)))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func add(bits: UInt64) { withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) } }

    mutating func add(_ date: Date) { add(bits: date.timeIntervalSinceReferenceDate.bitPattern) }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            add(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func add(_ data: Data) {
        add(data.count)
        add(bytes: data)
    }

    /// Adds bytes without their count: the next field begins where they end.
    mutating func add(bytes data: Data) { data.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    /// Adds a rare or large value as JSON, with names.
    mutating func add(json value: some Encodable) {
        // Packed values consist of numbers, texts and dates, all of which JSON can represent.
        add((try? JSONEncoder().encode(value)) ?? Data())
    }
}

/// A decoder that reads fields from bytes, in the order in which they were added.
struct BinaryDecoder {
    private let bytes: [UInt8]
    private var position = 0

    struct Trouble: Error {}

    init(_ data: Data) { bytes = data.withUnsafeBytes { [UInt8]($0) } }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Trouble() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func int() throws -> Int {
        var bits: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            bits |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { break }
            shift += 7
            guard shift < 64 else { throw Trouble() }
        }
        return Int(truncatingIfNeeded: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    }

    mutating func bits() throws -> UInt64 {
        let range = try take(8)
        return bytes.withUnsafeBytes { bytes in
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self))
        }
    }

    mutating func date() throws -> Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: try bits())) }

    mutating func text() throws -> String { String(decoding: bytes[try take(int())], as: UTF8.self) }

    mutating func data() throws -> Data { try bytes[take(int())].withUnsafeBytes { Data($0) } }

    /// Returns the range of the next bytes, and moves behind them.
    private mutating func take(_ count: Int) throws -> Range<Int> {
        guard count >= 0, count <= bytes.count - position else { throw Trouble() }
        defer { position += count }
        return position..<position + count
    }

    mutating func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: try data())
    }
}

// MARK: - Tables and arrays, as one piece of bytes

extension SlotTable: Codable where Row: BinaryCodable {
    init(from decoder: any Decoder) throws {
        self.init()
        var pack = BinaryDecoder(try decoder.singleValueContainer().decode(Data.self))
        while !pack.isAtEnd {
            let number = try pack.int()
            insert(try Row(unpacking: &pack), at: number)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var pack = BinaryEncoder()
        forEach { number, row in
            pack.add(number)
            row.pack(into: &pack)
        }
        var container = encoder.singleValueContainer()
        try container.encode(pack.data)
    }
}

extension SegmentedArray: Codable where Element: BinaryCodable {
    init(from decoder: any Decoder) throws {
        self.init()
        var pack = BinaryDecoder(try decoder.singleValueContainer().decode(Data.self))
        while !pack.isAtEnd { append(try Element(unpacking: &pack)) }
    }

    func encode(to encoder: any Encoder) throws {
        var pack = BinaryEncoder()
        for index in 0..<count { self[index].pack(into: &pack) }
        var container = encoder.singleValueContainer()
        try container.encode(pack.data)
    }
}

extension Bool: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(self ? 1 as UInt8 : 0) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.byte() != 0 }
}
