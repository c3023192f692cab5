import Foundation
import StoreCore

/// A cache of values by the bytes from which they were created.
///
/// The bytes are compared in full. All values are dropped when their number reaches ``limit``. Any thread may call any
/// method.
final class ExactMatchCache<Value: Sendable>: Sendable {
    private let known = Locked<[Data: (data: Data, value: Value)]>([:])

    private static var limit: Int { 64 }
    /// The maximum number of bytes; a value that was created from more is not cached.
    private static var maximumBytes: Int { 65_536 }

    /// Returns the value that is cached for some bytes; nil if there is none.
    func value(of data: Data) -> Value? {
        let known = known.withLock { $0[Self.key(of: data)] }
        return known.flatMap { $0.data == data ? $0.value : nil }
    }

    func insert(_ value: Value, of data: Data) {
        guard data.count <= Self.maximumBytes else { return }
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[Self.key(of: data)] = (data, value)
        }
    }

    /// Returns the last bytes as the key, usually part of a signature: the first bytes of receipts are alike.
    private static func key(of data: Data) -> Data { Data(data.suffix(256)) }
}
