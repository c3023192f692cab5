import Foundation

/// A value that can only be reached with its lock held.
///
/// An `NSLock` rather than `Synchronization.Mutex`, in which the thread sanitizer sees races that are not there.
package final class Locked<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    private let lock = NSLock()
    // Behind a pointer: the lock makes the access exclusive, which need not be checked again each time.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls out to nobody: `body` must not call back into whatever owns this lock.
    @inline(__always)
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.pointee)
    }
}
