import Foundation

/// The part of ASN.1's distinguished encoding rules (ITU-T X.690) that receipts and certificates need.
package enum DER {
    /// The tag of an element, which is its first byte.
    package enum Tag: UInt8 {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case utf8String = 0x0c
        case ia5String = 0x16
        case utcTime = 0x17
        case generalizedTime = 0x18
        /// An octet string in segments, which DER forbids and only ``BERReader`` accepts.
        case segmentedOctetString = 0x24
        case sequence = 0x30
        case set = 0x31
        /// `[0]` in place of a primitive element's own tag.
        case implicit0 = 0x80
        /// `[2]` in place of a primitive element's own tag.
        case implicit2 = 0x82
        /// `[6]` in place of a primitive element's own tag.
        case implicit6 = 0x86
        /// `[7]` in place of a primitive element's own tag.
        case implicit7 = 0x87
        /// `[0]` around an element with its own tag.
        case explicit0 = 0xa0
        /// `[3]` around an element with its own tag.
        case explicit3 = 0xa3
    }

    /// Returns an element: its tag, the length of its contents, and the contents.
    package static func element(_ tag: Tag, _ contents: some Collection<UInt8>) -> [UInt8] {
        var bytes = header(tag, contents.count)
        bytes.reserveCapacity(bytes.count + contents.count)
        bytes += contents
        return bytes
    }

    /// Returns the header of an element: its tag and the length of its contents.
    package static func header(_ tag: Tag, _ length: Int) -> [UInt8] {
        if length < 0x80 { return [tag.rawValue, UInt8(length)] }
        let digits = bigEndian(UInt64(length))
        return [tag.rawValue, 0x80 | UInt8(digits.count)] + digits
    }

    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(.sequence, Array(elements.joined())) }

    /// Returns a SET OF with its elements sorted by their bytes, as DER requires.
    package static func setOf(_ elements: [[UInt8]]) -> [UInt8] { element(.set, sorted(elements)) }

    /// Returns elements one after the other, sorted by their bytes.
    static func sorted(_ elements: [[UInt8]]) -> [UInt8] {
        Array(elements.sorted { $0.lexicographicallyPrecedes($1) }.joined())
    }

    /// Returns an INTEGER element: the number in two's complement, in as few bytes as possible.
    package static func integer(_ number: Int64) -> [UInt8] {
        var bytes = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }[...]
        while bytes.count > 1, let first = bytes.first, isIdle(first, before: bytes[bytes.startIndex + 1]) {
            bytes = bytes.dropFirst()
        }
        return element(.integer, bytes)
    }

    /// Returns whether a leading byte is superfluous, because it only repeats the sign bit of the next byte.
    static func isIdle(_ byte: UInt8, before next: UInt8) -> Bool {
        (byte == 0 && next < 0x80) || (byte == 0xff && next >= 0x80)
    }

    package static func utf8(_ text: String) -> [UInt8] { element(.utf8String, Array(text.utf8)) }

    /// Returns an IA5String element; the text must be ASCII, such as a date.
    static func ia5(_ text: String) -> [UInt8] { element(.ia5String, Array(text.utf8)) }

    package static let null = element(.null, [])

    /// Returns an OBJECT IDENTIFIER element of at least two numbers.
    package static func objectIdentifier(_ numbers: [UInt64]) -> [UInt8] {
        let folded = [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)
        return element(.objectIdentifier, folded.flatMap(base128))
    }

    /// Returns a number in groups of seven bits, the highest first; all bytes but the last have the continuation bit.
    private static func base128(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var remaining = number >> 7
        while remaining > 0 {
            bytes.insert(0x80 | UInt8(remaining & 0x7f), at: 0)
            remaining >>= 7
        }
        return bytes
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        Array(withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }.drop { $0 == 0 })
    }
}

/// A reader of ASN.1 elements in the distinguished encoding rules; accepts only what ``DER`` would write.
///
/// It enters elements only on request, so deep nesting costs nothing.
package struct DERReader {
    private var remaining: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    package init(_ bytes: [UInt8]) { remaining = bytes[...] }

    package var isAtEnd: Bool { remaining.isEmpty }

    /// Reads the contents of the next element; nil if the element has another tag or is invalid.
    ///
    /// An element is invalid if it is truncated, or if its length is not in the shortest form.
    package mutating func read(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
        var next = remaining
        guard next.popFirst() == tag.rawValue, let length = Self.length(&next), length <= next.count else { return nil }
        let contents = next.prefix(length)
        remaining = next.dropFirst(length)
        return contents
    }

    /// Reads the next element, and returns a reader of the elements within it.
    package mutating func open(_ tag: DER.Tag) -> DERReader? { read(tag).map { DERReader($0) } }

    /// Reads an INTEGER element of up to 64 bits.
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
        // A length of more than four bytes exceeds any receipt; a count of zero is the indefinite form.
        let count = Int(first & 0x7f)
        guard (1...4).contains(count), bytes.count >= count else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.first != 0, length >= 0x80 else { return nil }
        bytes = bytes.dropFirst(count)
        return length
    }
}

/// A writer of consecutive bytes, which returns them as `Data` without copying.
///
/// It manages its own memory: the bytes of an array would have to be copied into the `Data` that signers and apps
/// require, and creating a transaction's receipt would take 13 % longer.
struct ByteWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written.
    private(set) var count = 0

    /// Creates a writer; `capacity` is an estimate of the total length, at least 1.
    init(capacity: Int) {
        self.capacity = capacity
        start = Self.memory(realloc(nil, capacity))
    }

    deinit { free(start) }

    mutating func append(_ byte: UInt8) { Swift.withUnsafeBytes(of: byte) { append($0) } }

    @inline(__always)
    mutating func append(_ ascii: StaticString) {
        append(UnsafeRawBufferPointer(start: ascii.utf8Start, count: ascii.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        append(atMost: bytes.count) { place in
            UnsafeMutableRawPointer(place).copyMemory(from: source, byteCount: bytes.count)
            return bytes.count
        }
    }

    /// Appends a number in decimal digits, with a sign if it is negative.
    mutating func append(decimal number: Int64) {
        append(atMost: 20) { place in
            var remaining = number.magnitude
            var start = 20
            repeat {
                start &-= 1
                place[start] = UInt8(truncatingIfNeeded: 48 &+ remaining % 10)
                remaining /= 10
            } while remaining > 0
            if number < 0 {
                start &-= 1
                place[start] = UInt8(ascii: "-")
            }
            memmove(place, place + start, 20 &- start)
            return 20 &- start
        }
    }

    /// Appends the padded Base64 of bytes.
    mutating func append(base64 bytes: UnsafeRawBufferPointer) {
        let length = (bytes.count + 2) / 3 * 4
        append(atMost: length) { place in
            Base64.standard.encode(bytes, to: place)
            for offset in Base64.length(bytes.count)..<length { place[offset] = UInt8(ascii: "=") }
            return length
        }
    }

    /// Appends the bytes that padded Base64 encodes; returns false if another text is their Base64.
    mutating func append(decodingBase64 text: UnsafeRawBufferPointer) -> Bool {
        guard text.count.isMultiple(of: 4) else { return false }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let characters = UnsafeRawBufferPointer(rebasing: text.dropLast(padding))
        var isCanonical = false
        append(atMost: text.count / 4 * 3) { place in
            guard let count = Base64.standard.decode(characters, to: place) else { return 0 }
            isCanonical = true
            return count
        }
        return isCanonical
    }

    /// Appends at most `maximum` bytes, written by a function that returns their number.
    @inline(__always)
    mutating func append(atMost maximum: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if capacity - count < maximum { grow(by: maximum) }
        count += write(start + count)
    }

    /// Calls a function with all written bytes.
    @inline(__always)
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns all written bytes.
    consuming func finish() -> Data {
        let data = Data(bytesNoCopy: start, count: count, deallocator: .free)
        discard self
        return data
    }

    private mutating func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        start = Self.memory(realloc(start, capacity))
    }

    private static func memory(_ allocated: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
        guard let allocated else { fatalError("There is no memory left for a receipt.") }
        return allocated.assumingMemoryBound(to: UInt8.self)
    }
}

extension ByteWriter {
    /// Appends the header of an element: its tag and the length of its contents.
    @inline(__always)
    mutating func append(_ tag: DER.Tag, _ length: Int) {
        append(atMost: 10) { place in
            place[0] = tag.rawValue
            guard length >= 0x80 else {
                place[1] = UInt8(truncatingIfNeeded: length)
                return 2
            }
            let count = DER.length(containing: length) - length - 2
            place[1] = 0x80 | UInt8(truncatingIfNeeded: count)
            return 2 + Self.write(length, count, to: place + 2)
        }
    }

    /// Appends a number as an element, like ``DER/integer(_:)``.
    @inline(__always)
    mutating func append(_ number: Int64) {
        append(atMost: 10) { place in
            let count = DER.length(of: number) - 2
            place[0] = DER.Tag.integer.rawValue
            place[1] = UInt8(truncatingIfNeeded: count)
            return 2 + Self.write(Int(number), count, to: place + 2)
        }
    }

    /// Writes the `count` lowest bytes of a number, the highest first, and returns `count`.
    @inline(__always)
    private static func write(_ number: Int, _ count: Int, to place: UnsafeMutablePointer<UInt8>) -> Int {
        for index in 0..<count { place[index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
        return count
    }
}

extension DER {
    /// Returns the length of a number's INTEGER element, including the header.
    ///
    /// The contents need one more bit than the magnitude, for the sign.
    static func length(of number: Int64) -> Int {
        let magnitude = number < 0 ? ~number : number
        return 2 + (Int64.bitWidth - magnitude.leadingZeroBitCount) / 8 + 1
    }

    /// Returns the length of an element whose contents have a given length.
    static func length(containing contents: Int) -> Int {
        var length = contents + 2
        if contents >= 0x80 { length += (Int.bitWidth - contents.leadingZeroBitCount + 7) / 8 }
        return length
    }
}
