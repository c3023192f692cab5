/// Base64 (RFC 4648) in one of its two alphabets, without padding; decodes only the canonical form.
///
/// Foundation's takes longer, and has neither the URL-safe alphabet nor a strict decoder.
struct Base64: Sendable {
    static let standard = Base64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    static let urlSafe = Base64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The two characters for each value of twelve bits, the first in the lower byte.
    private let pairs: [UInt16]
    /// The bits of each byte as the first, second, third and fourth character of a group.
    ///
    /// The first of a group's three bytes is the lowest. The highest byte is zero for characters of the alphabet only.
    private let bits: [UInt32]

    private init(_ alphabet: String) {
        let characters = Array(alphabet.utf8)
        pairs = characters.flatMap { first in characters.map { UInt16($0) << 8 | UInt16(first) } }
        bits = (0..<4).flatMap { place in
            (0...UInt8.max).map { character in
                guard let value = characters.firstIndex(of: character) else { return 0xff00_0000 }
                return (UInt32(value) << (26 - 6 * UInt32(place))).byteSwapped
            }
        }
    }

    /// Returns the number of characters for a number of bytes.
    static func length(_ count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Writes exactly ``length(_:)`` characters to memory.
    func encode(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) {
        pairs.withUnsafeBufferPointer { pairs in
            let place = UnsafeMutableRawPointer(place)
            let length = Self.length(bytes.count)
            var (index, end) = (0, 0)
            // Of eight bytes, six are encoded.
            while index &+ 8 <= bytes.count {
                let group = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                func write(_ bits: UInt64, at end: Int) {
                    place.storeBytes(of: pairs[Int(bits & 0xfff)].littleEndian, toByteOffset: end, as: UInt16.self)
                }
                write(group >> 52, at: end)
                write(group >> 40, at: end &+ 2)
                write(group >> 28, at: end &+ 4)
                write(group >> 16, at: end &+ 6)
                (index, end) = (index &+ 6, end &+ 8)
            }
            var (rest, shift): (UInt64, UInt64) = (0, 56)
            while index < bytes.count {
                rest |= UInt64(bytes[index]) << shift
                (index, shift) = (index &+ 1, shift &- 8)
            }
            while end < length {
                let pair = pairs[Int(rest >> 52)]
                place.storeBytes(of: UInt8(truncatingIfNeeded: pair), toByteOffset: end, as: UInt8.self)
                if end &+ 1 < length { place.storeBytes(of: UInt8(pair >> 8), toByteOffset: end &+ 1, as: UInt8.self) }
                (rest, end) = (rest << 12, end &+ 2)
            }
        }
    }

    /// Writes the bytes that a text encodes to memory for three bytes in each four characters.
    ///
    /// Returns nil for other characters, padding, or unused bits that are not zero; else the number of bytes.
    func decode(_ text: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) -> Int? {
        guard text.count % 4 != 1 else { return nil }
        return bits.withUnsafeBufferPointer { bits in
            let place = UnsafeMutableRawPointer(place)
            var (index, end) = (0, 0)
            func group(at index: Int) -> UInt32 {
                bits[Int(text[index])] | bits[256 &+ Int(text[index &+ 1])]
                    | bits[512 &+ Int(text[index &+ 2])] | bits[768 &+ Int(text[index &+ 3])]
            }
            var all: UInt32 = 0
            // Of the four bytes written for a group, the last is overwritten by the next group.
            while index &+ 12 <= text.count {
                let (first, second) = (group(at: index), group(at: index &+ 4))
                all |= first | second
                place.storeBytes(of: first.littleEndian, toByteOffset: end, as: UInt32.self)
                place.storeBytes(of: second.littleEndian, toByteOffset: end &+ 3, as: UInt32.self)
                (index, end) = (index &+ 8, end &+ 6)
            }
            guard all >> 24 == 0 else { return nil }
            while index < text.count {
                let count = min(4, text.count &- index)
                var group: UInt32 = 0
                for offset in 0..<count { group |= bits[offset << 8 | Int(text[index &+ offset])] }
                for _ in 1..<count {
                    place.storeBytes(of: UInt8(truncatingIfNeeded: group), toByteOffset: end, as: UInt8.self)
                    (group, end) = (group >> 8, end &+ 1)
                }
                guard group == 0 else { return nil }
                index &+= count
            }
            return end
        }
    }
}

/// URL-safe Base64 (RFC 4648, section 5) without padding; decodes only the canonical form.
package enum Base64URL {
    /// Returns the number of characters for a number of bytes.
    package static func length(_ count: Int) -> Int { Base64.length(count) }

    /// Writes exactly ``length(_:)`` characters to memory.
    package static func encode(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) {
        Base64.urlSafe.encode(bytes, to: place)
    }

    /// Returns the encoded characters.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let length = length(bytes.count)
        return Array(unsafeUninitializedCapacity: length) { text, count in
            if let start = text.baseAddress { encode(bytes, to: start) }
            count = length
        }
    }

    /// Returns the decoded bytes; nil for other characters, padding, or unused bits that are not zero.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var isCanonical = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            guard let start = bytes.baseAddress else { return isCanonical = text.isEmpty }
            let end = text.withUnsafeBytes { Base64.urlSafe.decode($0, to: start) }
            (count, isCanonical) = (end ?? 0, end != nil)
        }
        return isCanonical ? bytes : nil
    }
}
