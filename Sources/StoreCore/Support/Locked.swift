import Foundation
import Synchronization

/// A value that is accessible only with its lock held.
///
/// Uses POSIX's lock rather than `Synchronization.Mutex`, for which the thread sanitizer reports false races.
///
/// Inlinable, so that other modules' values are not handled generically.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    // In one piece of memory with the value: there are many that live as long as a purchase.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    // Accessed through a pointer: the lock makes the access exclusive, which need not be checked each time.
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

/// A reference that is set once, by the first thread that does, and read without a lock.
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
    /// Returns the object that it refers to now.
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

extension LazyReference: @unchecked Sendable where Object: Sendable {}  // unchecked: all there is is the atomic

/// A channel that passes a value from a convenience initializer to the designated initializer that it calls.
///
/// A client's subclass inherits its superclass's convenience initializers, and an implied `super.init()`, only while
/// the superclass has no designated initializers beside Store Kit's own. Those have no parameters for StoreCore's
/// values, and may be overridden on the way.
package enum InitializerHandover {
    /// Leaves a value for the designated initializer of an object of a class, on this thread.
    package static func leave(_ value: any Sendable, for type: AnyClass) {
        CallScope.current.pointee.handovers.append((type, value))
    }

    /// Takes the value that was left for an object of a class, if any.
    package static func take<Value>(for type: AnyClass) -> Value? {
        let scope = CallScope.current
        guard let (owner, value) = scope.pointee.handovers.last, owner == type, let value = value as? Value else {
            return nil
        }
        scope.pointee.handovers.removeLast()
        return value
    }
}
