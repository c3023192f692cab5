/// Base64 for URLs (RFC 4648, section 5), without padding, of which it reads only the canonical form.
package enum Base64URL {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    private static let values: [UInt8] = alphabet.withUTF8Buffer { alphabet in
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }

    /// Returns the number of characters for a number of bytes.
    package static func length(_ count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Writes as many characters as ``length(_:)`` says.
    package static func encode(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) {
        let alphabet = alphabet.utf8Start
        var place = place
        var (group, bits): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                place.pointee = alphabet[Int(group >> bits & 0x3f)]
                place += 1
            }
        }
        if bits > 0 { place.pointee = alphabet[Int(group << (6 - bits) & 0x3f)] }
    }

    /// Returns the characters.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let length = length(bytes.count)
        return Array(unsafeUninitializedCapacity: length) { text, count in
            if let start = text.baseAddress { encode(bytes, to: start) }
            count = length
        }
    }

    /// Returns nil for characters outside the alphabet, padding, and unused bits that are not zero.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var isCanonical = true
        let bytes = Array<UInt8>(unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            values.withUnsafeBufferPointer { values in
                var (group, bits): (UInt32, UInt32) = (0, 0)
                for character in text {
                    let value = values[Int(character)]
                    if value > 63 { isCanonical = false }
                    group = group << 6 | UInt32(value & 0x3f)
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes[count] = UInt8(truncatingIfNeeded: group >> bits)
                        count += 1
                    }
                }
                if group & (1 << bits - 1) != 0 { isCanonical = false }
            }
        }
        return isCanonical ? bytes : nil
    }
}
