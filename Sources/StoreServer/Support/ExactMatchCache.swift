import Foundation
import StoreCore

/// A cache of values by the bytes that they were created from, compared in full.
///
/// All values are dropped at ``limit`` of them. Any thread may call.
final class ExactMatchCache<Value: Sendable>: Sendable {
    private let known = Locked<[Data: (data: Data, value: Value)]>([:])

    private static var limit: Int { 64 }
    /// The maximum length of a key in bytes; values of longer ones are not cached.
    private static var mostBytes: Int { 65_536 }

    /// Returns the cached value for bytes; nil if there is none.
    func value(of data: Data) -> Value? {
        let known = known.withLock { $0[Self.key(of: data)] }
        return known.flatMap { $0.data == data ? $0.value : nil }
    }

    func insert(_ value: Value, of data: Data) {
        guard data.count <= Self.mostBytes else { return }
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[Self.key(of: data)] = (data, value)
        }
    }

    /// Returns the last bytes, usually part of a signature, since receipts begin alike.
    private static func key(of data: Data) -> Data { Data(data.suffix(256)) }
}
