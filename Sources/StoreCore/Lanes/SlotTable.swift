/// Rows under numbers that only grow, from which any may be taken out.
///
/// Rows lie in segments; a segment goes when its last row has gone, so that finding, adding and removing cost the same
/// with ten rows and with a million, nothing is ever moved, and memory follows what is left.
struct SlotTable<Row> {
    private static var segmentSize: Int { 256 }

    fileprivate struct Segment {
        /// Empty where the last row has gone, or none has come.
        var rows: ContiguousArray<Row?> = []
        var live = 0
    }

    private var segments: ContiguousArray<Segment> = []
    private var firstSegment = 0
    /// How many rows there are.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Puts a row in.
    ///
    /// Each number is used once. Numbers need not follow one another; it is quickest if they grow.
    mutating func insert(_ row: consuming Row, at number: Int) {
        let segment = number / Self.segmentSize
        if segments.isEmpty { firstSegment = segment }
        while segment < firstSegment {
            segments.insert(Segment(), at: 0)
            firstSegment -= 1
        }
        while firstSegment + segments.count <= segment {
            // The last one stays while it is not full, even with nothing in it.
            if let last = segments.indices.last, segments[last].live == 0 { segments[last] = Segment() }
            segments.append(Segment())
        }
        segments[segment - firstSegment].insert(row, at: number % Self.segmentSize, of: Self.segmentSize)
        count += 1
    }

    /// The row under a number, nil where there is none.
    subscript(number: Int) -> Row? {
        guard let (index, offset) = place(of: number) else { return nil }
        return segments[index].rows[offset]
    }

    /// Changes a row where it lies.
    ///
    /// False where there is none.
    @discardableResult
    @inline(__always)
    mutating func update(_ number: Int, _ body: (inout Row) -> Void) -> Bool {
        guard let (index, offset) = place(of: number) else { return false }
        return segments[index].update(offset, body)
    }

    /// Takes a row out.
    @discardableResult
    mutating func remove(_ number: Int) -> Row? {
        guard let (index, offset) = place(of: number), let row = segments[index].remove(offset) else { return nil }
        count -= 1
        // The last segment, unless it is full, has rows to come.
        let mayGo = segments[index].rows.count == Self.segmentSize || index < segments.count - 1
        if mayGo, segments[index].live == 0 {
            segments[index] = Segment()
            dropLeadingGaps()
        }
        return row
    }

    /// Where a number's slot is, nil where no row can be.
    private func place(of number: Int) -> (index: Int, offset: Int)? {
        let index = number / Self.segmentSize - firstSegment
        guard index >= 0, index < segments.count else { return nil }
        let offset = number % Self.segmentSize
        return offset < segments[index].rows.count ? (index, offset) : nil
    }

    /// The rows that are there, by their numbers.
    func forEach(_ body: (Int, Row) throws -> Void) rethrows {
        for (index, segment) in segments.enumerated() {
            let base = (firstSegment + index) * Self.segmentSize
            for (offset, row) in segment.rows.enumerated() {
                if let row { try body(base + offset, row) }
            }
        }
    }

    /// Segments that have gone at the front are given up once they are the greater part, so that each is moved once.
    private mutating func dropLeadingGaps() {
        guard let leading = segments.firstIndex(where: { !$0.rows.isEmpty }) else {
            segments.removeAll(keepingCapacity: true)
            return
        }
        guard leading > 16, leading > segments.count / 2 else { return }
        segments.removeFirst(leading)
        firstSegment += leading
    }
}

// Each does all of its work in one access to the segment.
extension SlotTable.Segment {
    fileprivate mutating func insert(_ row: consuming Row, at offset: Int, of size: Int) {
        if rows.isEmpty { rows.reserveCapacity(size) }
        while rows.count < offset { rows.append(nil) }
        if rows.count == offset {
            rows.append(row)
        } else {
            precondition(rows[offset] == nil, "a slot is used once")
            rows[offset] = row
        }
        live += 1
    }

    @inline(__always)
    fileprivate mutating func update(_ offset: Int, _ body: (inout Row) -> Void) -> Bool {
        guard rows[offset] != nil else { return false }
        body(&rows[offset]!)
        return true
    }

    fileprivate mutating func remove(_ offset: Int) -> Row? {
        guard let row = rows[offset].take() else { return nil }
        live -= 1
        return row
    }
}

extension Optional {
    /// Empties it and returns what was there.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }

    /// Fills it and returns what was there.
    mutating func replace(with new: Wrapped) -> Wrapped? {
        defer { self = new }
        return self
    }
}

extension SlotTable: Sendable where Row: Sendable {}
extension SlotTable.Segment: Sendable where Row: Sendable {}
