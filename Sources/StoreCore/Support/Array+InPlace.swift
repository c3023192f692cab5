extension Array {
    /// Removes all elements.
    ///
    /// A buffer of a usual size is kept for reuse.
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
