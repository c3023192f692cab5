import Foundation

/// A value as a database stores it, with a checksum that detects changes.
package struct StoredPayload: Sendable {
    package let data: Data
    package let checksum: Int

    /// Creates a payload whose checksum includes the row's number, so that a misplaced row is detected, too.
    package init(_ data: Data, under number: Int) {
        self.data = data
        checksum = Self.checksum(of: data, number)
    }

    /// Decodes the value; throws if it has changed, or if a newer version of the store wrote it.
    package static func read<Value>(
        _ data: Data,
        checksum: Int,
        under number: Int,
        _ decode: (Data) throws -> Value
    ) throws(Unreadable) -> Value {
        guard checksum == self.checksum(of: data, number) else {
            throw Unreadable(reason: "its checksum does not match", isWhole: false)
        }
        do { return try decode(data) } catch { throw Unreadable(reason: "it is of a newer version", isWhole: true) }
    }

    package struct Unreadable: Error {
        package let reason: String
        /// Whether the value is unchanged, and was written by a newer version of the store.
        package let isWhole: Bool

        package init(reason: String, isWhole: Bool) {
            self.reason = reason
            self.isWhole = isWhole
        }
    }

    /// Returns a checksum against faults of a disk, not manipulation: it detects any change within eight bytes.
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
            // The remaining bytes, after the length of the data.
            var word = UInt64(bytes.count)
            while offset < bytes.count {
                word = word << 8 | UInt64(bytes[offset])
                offset += 1
            }
            add(word)
        }
        return Int(Int64(bitPattern: hash))
    }
}

extension JournalID {
    /// The journal's name as databases store it: as a signed number.
    package var bits: Int { Int(Int64(bitPattern: rawValue)) }
}

extension OrderID {
    /// The journal's name as databases store it: as a signed number.
    package var bits: Int { journal.bits }
}
