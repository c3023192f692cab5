extension Range<Int> {
    /// Returns the first index that does not satisfy a predicate, which all indices before it have to satisfy, and none
    /// behind it; the end of the range if all do.
    ///
    /// A binary search.
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
