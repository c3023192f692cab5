import Foundation

/// A value behind a lock that threads can wait on for changes.
final class MonitoredValue<Value>: @unchecked Sendable {  // unchecked: `value` is touched only with `condition` locked
    private let condition = NSCondition()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func read<R>(_ body: (Value) -> R) -> R {
        condition.lock()
        defer { condition.unlock() }
        return body(value)
    }

    @discardableResult
    func change<R>(_ body: (inout Value) -> R) -> R {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&value)
    }

    /// Waits until a condition holds, until `limit` by the system's clock at the longest.
    ///
    /// - Returns: whether the condition holds.
    @discardableResult
    func wait(until limit: Date, _ isSo: (Value) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isSo(value) {
            guard condition.wait(until: limit) else { return isSo(value) }
        }
        return true
    }
}
