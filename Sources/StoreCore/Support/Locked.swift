import Foundation
import Synchronization

/// A value that is accessible only with its lock held.
///
/// Uses POSIX's lock rather than `Synchronization.Mutex`, for which the thread sanitizer reports false races.
///
/// Inlinable, so that the compiler specializes it for values of other modules.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {  // unchecked: `value` is accessed only with `lock` held
    // In one allocation with the value, since there are many locks that live only as long as a purchase.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    // A pointer, so that accesses are not checked for exclusivity at run time: the lock ensures it.
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

/// A reference that is read without a lock, and set once: the first thread to set it wins.
///
/// `AtomicLazyReference` does the same, but takes 40 times as long to read.
struct LazyReference<Object: AnyObject>: ~Copyable {
    private let bits = Atomic<UInt>(0)

    deinit {
        if let object = pointer(bits.load(ordering: .acquiring)) { Unmanaged<Object>.fromOpaque(object).release() }
    }

    func load() -> Object? {
        pointer(bits.load(ordering: .acquiring)).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the reference unless it is set.
    ///
    /// Returns the object that the reference refers to now.
    func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let (isNew, old) = bits.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: new.toOpaque()),
            ordering: .acquiringAndReleasing
        )
        if isNew { return object }
        new.release()
        return Unmanaged<Object>.fromOpaque(pointer(old)!).takeUnretainedValue()
    }

    private func pointer(_ bits: UInt) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: bits) }
}

extension LazyReference: @unchecked Sendable where Object: Sendable {}  // unchecked: its only property is atomic

/// A channel that passes a value from a convenience initializer to the designated initializer that it calls.
///
/// A client's subclass inherits the convenience initializers of a Store Kit class, and an implied `super.init()`, only
/// if the class has no designated initializers besides Store Kit's own, which lack parameters for StoreCore's values.
package enum InitializerHandover {
    /// Stores a value, on this thread, for the designated initializer of an object of a class.
    package static func leave(_ value: any Sendable, for type: AnyClass) {
        CallScope.current.pointee.handovers.append((type, value))
    }

    /// Removes and returns the value that was stored for an object of a class, if any.
    package static func take<Value>(for type: AnyClass) -> Value? {
        let scope = CallScope.current
        guard let (owner, value) = scope.pointee.handovers.last, owner == type, let value = value as? Value else {
            return nil
        }
        scope.pointee.handovers.removeLast()
        return value
    }
}
