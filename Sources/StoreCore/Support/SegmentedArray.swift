/// An array that grows by segments and never moves its elements: the millionth append costs the same as the first.
struct SegmentedArray<Element> {
    private static var segmentSize: Int { 256 }
    private var segments: ContiguousArray<ContiguousArray<Element>> = []
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count % Self.segmentSize == 0 {
            var segment = ContiguousArray<Element>()
            // The first segment grows as an array does, since most instances hold few elements.
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
