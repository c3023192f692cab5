import Foundation

/// A value as a database stores it, with a checksum that detects changes.
package struct StoredPayload: Sendable {
    package let data: Data
    package let checksum: Int

    /// Creates the payload of a value under a number that is known from elsewhere, so that a misplaced row is detected
    /// too.
    package init(_ data: Data, under number: Int) {
        self.data = data
        checksum = Self.checksum(of: data, number)
    }

    /// Decodes the value, if it is unchanged.
    package static func read<Value>(
        _ data: Data,
        checksum: Int,
        under number: Int,
        _ decode: (Data) throws -> Value
    ) throws(Unreadable) -> Value {
        guard checksum == self.checksum(of: data, number) else {
            throw Unreadable(reason: "its checksum does not match", isWhole: false)
        }
        do { return try decode(data) } catch {
            throw Unreadable(reason: "it is of a newer version", isWhole: true)
        }
    }

    package struct Unreadable: Error {
        package let reason: String
        /// Whether it is unchanged: a newer version of the store has written it.
        package let isWhole: Bool

        package init(reason: String, isWhole: Bool) {
            self.reason = reason
            self.isWhole = isWhole
        }
    }

    /// Returns the checksum, which detects faults of a disk, not manipulation: any change within eight bytes is detected.
    private static func checksum(of data: Data, _ number: Int) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 32
        }
        add(UInt64(bitPattern: Int64(number)))
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            // The remaining bytes, and their number.
            var rest = UInt64(bytes.count)
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
            add(rest)
        }
        return Int(Int64(bitPattern: hash))
    }
}

extension JournalID {
    /// The name as databases store it, whose numbers are signed.
    package var bits: Int { Int(Int64(bitPattern: rawValue)) }
}

extension OrderID {
    /// The journal's name as databases store it.
    package var bits: Int { journal.bits }
}
