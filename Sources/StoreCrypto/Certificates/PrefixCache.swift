import Foundation
import StoreCore

/// A cache of values by the bytes that an input begins with: the last ``limit`` that were inserted.
///
/// Any thread may call.
final class PrefixCache<Value: Sendable>: Sendable {
    private let values = Locked<[(key: [UInt8], value: Value)]>([])

    private static var limit: Int { 8 }

    /// Returns the value whose key the bytes begin with, and the number of the key's bytes.
    func value(atStartOf bytes: [UInt8]) -> (value: Value, count: Int)? {
        values.withLock { values in
            values.first { key, _ in
                key.count <= bytes.count && memcmp(key, bytes, key.count) == 0
            }
            .map { ($0.value, $0.key.count) }
        }
    }

    func insert(_ value: Value, for key: [UInt8]) {
        values.withLock { values in
            if values.count == Self.limit { values.removeFirst() }
            values.append((key, value))
        }
    }
}
