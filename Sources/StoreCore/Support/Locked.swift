import Foundation

/// A value that is accessible only with its lock held.
///
/// Uses `NSLock` rather than `Synchronization.Mutex`, for which the thread sanitizer reports false races.
package final class Locked<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    private let lock = NSLock()
    // Behind a pointer: the lock makes the access exclusive, which need not be checked each time.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the lock held; `body` must not call back into the owner of this lock.
    @inline(__always)
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.pointee)
    }
}
