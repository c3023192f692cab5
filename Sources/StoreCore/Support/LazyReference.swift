import Synchronization

/// A reference that is set once, by whoever comes first, and read without a lock.
///
/// `AtomicLazyReference` is that too, at sixty nanoseconds a reading.
struct LazyReference<Object: AnyObject>: ~Copyable {
    private let bits = Atomic<UInt>(0)

    deinit {
        if let object = pointer(bits.load(ordering: .acquiring)) { Unmanaged<Object>.fromOpaque(object).release() }
    }

    func load() -> Object? {
        pointer(bits.load(ordering: .acquiring)).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets it unless somebody was first.
    ///
    /// Returns what it refers to now.
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
