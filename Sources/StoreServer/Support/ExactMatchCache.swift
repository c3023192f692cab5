import Foundation
import StoreCore

/// A cache of values by the whole of the bytes that they were made of.
///
/// At ``limit`` values all are dropped. Any thread may call.
final class ExactMatchCache<Value: Sendable>: Sendable {
    private let known = Locked<[Data: (data: Data, value: Value)]>([:])

    private static var limit: Int { 64 }
    /// The most bytes that are kept.
    private static var mostBytes: Int { 65_536 }

    /// Returns the value of bytes; nil if it is not known.
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

    /// Returns the end, which is a signature as a rule: the beginnings of receipts are the same.
    private static func key(of data: Data) -> Data { Data(data.suffix(256)) }
}
