import Foundation

extension Array {
    /// Removes all elements.
    ///
    /// The buffer is retained for reuse unless it is unusually large.
    mutating func empty() {
        if count > 8 { return removeAll(keepingCapacity: capacity <= 4096) }
        // Faster than `removeAll` for few elements.
        while !isEmpty { removeLast() }
    }

    /// Reverses the array without copying its elements; `reverse()` would copy each of them.
    ///
    /// The elements can then be moved out from the end, in their original order.
    @inline(__always)
    mutating func reverseInPlace() {
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { elements in
            for index in 0..<elements.count / 2 { elements.swapAt(index, elements.count - 1 - index) }
        }
    }

    /// Returns the elements without those that a condition does not need.
    ///
    /// Groups of elements are removed, large ones first, as long as the condition holds for the rest.
    ///
    /// - Parameters:
    ///   - size: the size of the first groups; by default half of the elements.
    ///   - isMet: whether the condition holds for fewer elements.
    /// - Returns: the elements that are left.
    /// - Throws: the errors of `isMet`.
    package func withoutPieces(of size: Int? = nil, while isMet: ([Element]) throws -> Bool) rethrows -> [Element] {
        var (best, size) = (self, Swift.max(size ?? count / 2, 1))
        while true {
            var (index, hasShrunk) = (0, false)
            while index < best.count {
                var rest = best
                rest.removeSubrange(index..<Swift.min(rest.count, index + size))
                if try isMet(rest) { (best, hasShrunk) = (rest, true) } else { index += size }
            }
            if size == 1, !hasShrunk { return best }
            size = Swift.max(size / 2, 1)
        }
    }
}

extension Optional {
    /// Sets this optional to nil, and returns the previous value.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }

    /// Sets a new value, and returns the previous one.
    mutating func replace(with new: Wrapped) -> Wrapped? {
        defer { self = new }
        return self
    }
}

extension Range<Int> {
    /// Returns the first index that does not satisfy a predicate, or the end of the range if all do.
    ///
    /// A binary search: all indices before the result must satisfy the predicate, and no others.
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
    /// Creates a UUID from a name: the same for that name in every process, different for every other name.
    init(named name: String) {
        var bytes = SHA256.digest(of: Data(name.utf8))
        // RFC 9562, version 8: the other bits may be chosen freely.
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
