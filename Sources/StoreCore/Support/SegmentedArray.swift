/// An array that grows by whole segments and never moves what it holds: the millionth append costs what the first did.
struct SegmentedArray<Element> {
    private static var segmentSize: Int { 256 }
    private var segments: ContiguousArray<ContiguousArray<Element>> = []
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count % Self.segmentSize == 0 {
            var segment = ContiguousArray<Element>()
            // The first one grows as an array does: most of those who have one put little into it.
            if count > 0 { segment.reserveCapacity(Self.segmentSize) }
            segments.append(segment)
        }
        segments[segments.count - 1].append(element)
        count += 1
    }

    subscript(index: Int) -> Element {
        _read { yield segments[index / Self.segmentSize][index % Self.segmentSize] }
        _modify { yield &segments[index / Self.segmentSize][index % Self.segmentSize] }
    }
}

extension SegmentedArray: Sendable where Element: Sendable {}
