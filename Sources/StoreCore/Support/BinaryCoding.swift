import Foundation

/// A type with a compact binary format: fields without names, one after the other.
///
/// If the format of a type changes, ``SandboxState/snapshotVersion`` must change too. The types in ledgers' records,
/// such as orders and payments, must not change: otherwise, the records of older files could not be read.
protocol BinaryCodable {
    func pack(into pack: inout BinaryEncoder)
    init(unpacking pack: inout BinaryDecoder) throws

    // Requirements, so that the loops over very many rows are compiled for each type.

    /// Decodes all remaining bytes as a table's numbered rows.
    static func table(unpacking pack: inout BinaryDecoder) throws -> SlotTable<Self>
    /// Decodes all remaining bytes as an array's elements.
    static func array(unpacking pack: inout BinaryDecoder) throws -> SegmentedArray<Self>
}

extension BinaryCodable {
    static func table(unpacking pack: inout BinaryDecoder) throws -> SlotTable<Self> {
        var table = SlotTable<Self>()
        var last = -1
        while !pack.isAtEnd {
            let number = try pack.int()
            // Limits the gap, since the table allocates a segment for each 256 numbers between its first and its last.
            guard number > last, last < 0 || number - last < 1 << 32 else { throw BinaryDecoder.Trouble() }
            last = number
            table.insert(try Self(unpacking: &pack), at: number)
        }
        return table
    }

    static func array(unpacking pack: inout BinaryDecoder) throws -> SegmentedArray<Self> {
        var array = SegmentedArray<Self>()
        while !pack.isAtEnd { array.append(try Self(unpacking: &pack)) }
        return array
    }
}

/// An encoder that appends fields to bytes.
struct BinaryEncoder {
    // An array, since appending a byte to a `Data` takes a hundred times as long.
    private var bytes: [UInt8] = []

    var data: Data { bytes.withUnsafeBytes { Data($0) } }

    init() { bytes.reserveCapacity(128) }

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    /// Adds a number in as few bytes as possible; a small number, also a negative one, takes one byte.
    mutating func add(_ number: Int) {
        var remaining = UInt64(bitPattern: Int64(number << 1 ^ number >> (Int.bitWidth - 1)))
        while remaining > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: remaining) | 0x80)
            remaining >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: remaining))
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

    /// Adds bytes without their count; the decoder must know where they end.
    mutating func add(bytes data: Data) { data.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    /// Adds a rare or large value as JSON, with names.
    mutating func add(json value: some Encodable) {
        // Encoding cannot fail: packed values consist of numbers, texts and dates, all of which JSON can represent.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        add((try? encoder.encode(value)) ?? Data())
    }
}

/// A decoder that reads fields from bytes, in the order in which they were added.
struct BinaryDecoder: @unchecked Sendable {  // unchecked: the bytes never change, each decoder has its position
    /// A copy of bytes in memory of its own.
    private final class Memory: @unchecked Sendable {  // unchecked: its bytes do not change
        let bytes: UnsafeRawBufferPointer

        init(_ data: Data) {
            // At least one byte, since empty memory may have no address.
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(data.count, 1), alignment: 8)
            data.withUnsafeBytes { copy.copyMemory(from: $0) }
            bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: data.count)
        }

        deinit { bytes.deallocate() }
    }

    /// The memory that the addresses below point into.
    private let memory: Memory
    // Addresses rather than an array, for speed: a store reads very many small fields when it opens.
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer
    // Two properties, since reading a tuple would copy it and retain the value.
    /// The last value that ``shared(_:)`` has read.
    private var lastValue: (any AnyObject & Sendable)?
    /// The bytes of that value.
    private var lastBytes = UnsafeRawBufferPointer(start: nil, count: 0)

    struct Trouble: Error {}

    init(_ data: Data) {
        let memory = Memory(data)
        self.init(memory.bytes, in: memory)
    }

    /// Creates a decoder of some of the bytes of another decoder.
    private init(_ bytes: UnsafeRawBufferPointer, in memory: Memory) {
        self.memory = memory
        next = bytes.baseAddress!
        end = next + bytes.count
    }

    var isAtEnd: Bool { next == end }

    @inline(__always)
    mutating func byte() throws -> UInt8 {
        guard next < end else { throw Trouble() }
        defer { next += 1 }
        return next.load(as: UInt8.self)
    }

    @inline(__always)
    mutating func int() throws -> Int {
        let first = try byte()
        let bits = first < 0x80 ? UInt64(first) : try bits(after: first)
        return Int(truncatingIfNeeded: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    }

    @inline(never)
    private mutating func bits(after first: UInt8) throws -> UInt64 {
        var bits = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let next = try byte()
            bits |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return bits }
            shift += 7
            guard shift < 64 else { throw Trouble() }
        }
    }

    mutating func bits() throws -> UInt64 { UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self)) }

    mutating func date() throws -> Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: try bits())) }

    mutating func text() throws -> String { String(decoding: try take(int()), as: UTF8.self) }

    mutating func data() throws -> Data { Data(try take(int())) }

    /// Returns a decoder of the next length-prefixed bytes, which are not copied.
    mutating func part() throws -> BinaryDecoder { BinaryDecoder(try take(int()), in: memory) }

    /// Returns the next bytes, and advances past them.
    @inline(__always)
    private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= end - next else { throw Trouble() }
        defer { next += count }
        return UnsafeRawBufferPointer(start: next, count: count)
    }

    /// Reads the number of the fields that follow, as a range over which to read them.
    ///
    /// Each field takes at least a byte, so a number beyond the remaining bytes is invalid.
    mutating func count() throws -> Range<Int> {
        let count = try int()
        guard 0...end - next ~= count else { throw Trouble() }
        return 0..<count
    }

    /// Reads a value, or returns the last value again if the next bytes equal its bytes, as in most rows.
    @inline(__always)
    mutating func shared<Value: AnyObject & Sendable>(_ read: (inout BinaryDecoder) throws -> Value) rethrows -> Value {
        if repeats(lastBytes), let value = lastValue as? Value {
            next += lastBytes.count
            return value
        }
        let start = next
        let value = try read(&self)
        (lastValue, lastBytes) = (value, UnsafeRawBufferPointer(start: start, count: next - start))
        return value
    }

    /// Returns whether the next bytes are the same as earlier ones.
    private func repeats(_ earlier: UnsafeRawBufferPointer) -> Bool {
        earlier.count <= end - next && earlier.baseAddress.map { memcmp($0, next, earlier.count) == 0 } ?? false
    }

    mutating func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: try data())
    }
}

extension Bool: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(self ? 1 as UInt8 : 0) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.byte() != 0 }
}

/// A number that identifies one kind of thing and cannot be confused with the number of another kind.
///
/// Encoded as the bare number, also as a dictionary's key.
protocol TypedNumber: RawRepresentable<Int>, Hashable, Strideable, Codable, CodingKeyRepresentable,
    ExpressibleByIntegerLiteral, Sendable
where Stride == Int {
    init(rawValue: Int)
}

extension TypedNumber {
    @inline(__always)
    init(integerLiteral value: Int) { self.init(rawValue: value) }

    @inline(__always)
    static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    @inline(__always)
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    @inline(__always)
    func distance(to other: Self) -> Int { other.rawValue - rawValue }

    @inline(__always)
    func advanced(by distance: Int) -> Self { Self(rawValue: rawValue + distance) }
}

// MARK: - In bytes

extension BinaryEncoder {
    /// Adds a number; nil is encoded as -1.
    mutating func add(_ number: (some TypedNumber)?) { add(number?.rawValue ?? -1) }

    mutating func add(_ numbers: [some TypedNumber]) {
        add(numbers.count)
        for number in numbers { add(number) }
    }
}

extension BinaryDecoder {
    @inline(__always)
    mutating func number<Number: TypedNumber>() throws -> Number { Number(rawValue: try int()) }

    /// Reads a number; returns nil for a negative one.
    @inline(__always)
    mutating func optionalNumber<Number: TypedNumber>() throws -> Number? {
        let value = try int()
        return value < 0 ? nil : Number(rawValue: value)
    }

    mutating func numbers<Number: TypedNumber>() throws -> [Number] { try count().map { _ in try number() } }
}

extension Int64 {
    /// Creates a number from its canonical decimal spelling: "7", but neither "007" nor "+7".
    ///
    /// Objects that are numbered in sequence, such as transactions, have such identifiers. Returns nil for any other
    /// text, and for more than eighteen digits.
    init?(spelledBy identifier: String) {
        var identifier = identifier
        let number = identifier.withUTF8 { digits -> Int64? in
            guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else {
                return nil
            }
            var number: Int64 = 0
            for digit in digits {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                number = number &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
            }
            return number
        }
        guard let number else { return nil }
        self = number
    }
}
