import Foundation

/// A value behind a lock.
final class Guarded<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
