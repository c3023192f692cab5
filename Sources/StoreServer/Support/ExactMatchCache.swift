import Foundation
import StoreCore

/// A cache of values, each by the bytes that it was created from, which are compared in full.
///
/// When there are ``limit`` values, all are dropped. Any thread may call any method.
final class ExactMatchCache<Value: Sendable>: Sendable {
    private let known = Locked<[Data: (data: Data, value: Value)]>([:])

    private static var limit: Int { 64 }
    /// The maximum length of the bytes; a value that was created from more is not cached.
    private static var mostBytes: Int { 65_536 }

    /// Returns the value cached for the given bytes; nil if there is none.
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

    /// Returns the last bytes, usually part of a signature, since receipts begin alike and would share a key.
    private static func key(of data: Data) -> Data { Data(data.suffix(256)) }
}
