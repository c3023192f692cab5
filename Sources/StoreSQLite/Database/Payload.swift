#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A value as stored in the file, with a checksum that tells whether it is unchanged.
    package struct Payload {
        let data: Data
        package let checksum: Int

        /// Creates the payload of a value under a number that is known from elsewhere, so that a misplaced row is
        /// noticed too.
        package init(_ data: Data, under number: Int) {
            self.data = data
            checksum = Self.checksum(of: data, number)
        }

        /// Encodes a value under a number.
        init(under number: Int, _ encode: () throws -> Data) throws(StoreDatabaseError) {
            do { self.init(try encode(), under: number) } catch {
                throw StoreDatabaseError(.other, "a record cannot be written down: \(error)")
            }
        }

        /// Binds it to the second and third parameter of a statement whose first is its number.
        func bind(to statement: Statement, under number: Int) throws(StoreDatabaseError) {
            try statement.bind(number, at: 1)
            try statement.bind(checksum, at: 2)
            try statement.bind(data, at: 3)
        }

        /// Decodes the value, if it is unchanged.
        static func read<Value>(
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

        struct Unreadable: Error {
            let reason: String
            /// Whether it is unchanged: written by a version that knows more than this one.
            let isWhole: Bool
        }

        /// Returns the checksum, which detects faults of a disk, not manipulation: any change within eight bytes shows.
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
#endif
