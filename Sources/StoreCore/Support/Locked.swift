import Foundation

/// A value that is accessible only with its lock held.
///
/// Uses POSIX's lock rather than `Synchronization.Mutex`, for which the thread sanitizer reports false races.
///
/// Inlinable, so that other modules' values are not handled generically.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    // In one piece of memory with the value: there are many that live as long as a purchase.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    // Behind a pointer: the lock makes the access exclusive, which need not be checked each time.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable package init(_ value: sending Value) {
        let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) & ~(alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.size,
            alignment: alignment
        )
        lock = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        self.value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
        self.value.initialize(to: value)
    }

    @inlinable deinit {
        value.deinitialize(count: 1)
        pthread_mutex_destroy(lock)
        UnsafeMutableRawPointer(lock).deallocate()
    }

    /// Runs `body` with the lock held; `body` must not call back into the owner of this lock.
    @inlinable
    @inline(__always)
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
