import Foundation

extension Array {
    /// Removes all elements.
    ///
    /// A buffer of a usual size is retained for reuse.
    mutating func empty() {
        if count > 8 { return removeAll(keepingCapacity: capacity <= 4096) }
        // Faster than removing them at once.
        while !isEmpty { removeLast() }
    }

    /// Reverses the array, so that its elements can be moved out from the end: `reverse()` would copy each of them.
    @inline(__always)
    mutating func reverseInPlace() {
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { elements in
            for index in 0..<elements.count / 2 { elements.swapAt(index, elements.count - 1 - index) }
        }
    }
}

extension Optional {
    /// Sets this to nil and returns the previous value.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }

    /// Sets a new value and returns the previous one.
    mutating func replace(with new: Wrapped) -> Wrapped? {
        defer { self = new }
        return self
    }
}

extension Range<Int> {
    /// Returns the first index that does not satisfy a predicate, or the end of the range if all do.
    ///
    /// All indices before it must satisfy the predicate, and none after it may. A binary search.
    @inline(__always)
    package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UUID {
    /// Creates the identifier of a name: the same in every process, and different for every other name.
    init(named name: String) {
        var bytes = SHA256.digest(of: Data(name.utf8))
        // RFC 9562: version 8, with a custom rule.
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
