/// Rows under numbers that only grow, from which any may be taken out.
///
/// Rows lie in segments; a segment goes when its last row has gone, so that finding, adding and removing cost the same
/// with ten rows and with a million, nothing is ever moved, and memory follows what is left.
struct SlotTable<Row> {
    private static var segmentSize: Int { 256 }

    fileprivate struct Segment {
        var rows: ContiguousArray<Row?>
        var live = 0
    }

    private var segments: ContiguousArray<Segment?> = []
    private var firstSegment = 0
    /// How many rows there are.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Puts a row in.
    ///
    /// Each number is used once. Numbers need not follow one another; it is quickest if they grow.
    mutating func insert(_ row: Row, at number: Int) {
        let segment = number / Self.segmentSize
        let offset = number % Self.segmentSize
        if segments.isEmpty { firstSegment = segment }
        while segment < firstSegment {
            segments.insert(nil, at: 0)
            firstSegment -= 1
        }
        while firstSegment + segments.count <= segment { segments.append(nil) }
        let index = segment - firstSegment
        if segments[index] == nil {
            var rows = ContiguousArray<Row?>()
            rows.reserveCapacity(Self.segmentSize)
            segments[index] = Segment(rows: rows)
        }
        var rows: ContiguousArray<Row?> { _read { yield segments[index]!.rows } }
        while rows.count < offset { segments[index]!.rows.append(nil) }
        if rows.count == offset {
            segments[index]!.rows.append(row)
        } else {
            precondition(rows[offset] == nil, "a slot is used once")
            segments[index]!.rows[offset] = row
        }
        segments[index]!.live += 1
        count += 1
    }

    /// The row under a number, nil where there is none.
    subscript(number: Int) -> Row? {
        get {
            let index = number / Self.segmentSize - firstSegment
            guard index >= 0, index < segments.count, segments[index] != nil else { return nil }
            let offset = number % Self.segmentSize
            return offset < segments[index]!.rows.count ? segments[index]!.rows[offset] : nil
        }
    }

    /// Changes a row where it lies.
    ///
    /// False where there is none.
    @discardableResult
    mutating func update(_ number: Int, _ body: (inout Row) -> Void) -> Bool {
        let index = number / Self.segmentSize - firstSegment
        guard index >= 0, index < segments.count, segments[index] != nil else { return false }
        let offset = number % Self.segmentSize
        guard offset < segments[index]!.rows.count, segments[index]!.rows[offset] != nil else { return false }
        body(&segments[index]!.rows[offset]!)
        return true
    }

    /// Takes a row out.
    @discardableResult
    mutating func remove(_ number: Int) -> Row? {
        let index = number / Self.segmentSize - firstSegment
        guard index >= 0, index < segments.count, segments[index] != nil else { return nil }
        let offset = number % Self.segmentSize
        guard offset < segments[index]!.rows.count else { return nil }
        guard let row = segments[index]!.rows[offset].take() else { return nil }
        segments[index]!.live -= 1
        count -= 1
        let isFull = segments[index]!.rows.count == Self.segmentSize
        if segments[index]!.live == 0, isFull || index < segments.count - 1 {
            segments[index] = nil
            dropLeadingGaps()
        }
        return row
    }

    /// The rows that are there, by their numbers.
    func forEach(_ body: (Int, Row) throws -> Void) rethrows {
        for (index, segment) in segments.enumerated() {
            guard let segment else { continue }
            let base = (firstSegment + index) * Self.segmentSize
            for (offset, row) in segment.rows.enumerated() {
                if let row { try body(base + offset, row) }
            }
        }
    }

    /// Segments that have gone at the front are given up once they are the greater part, so that each is moved once.
    private mutating func dropLeadingGaps() {
        guard let leading = segments.firstIndex(where: { $0 != nil }) else {
            segments.removeAll(keepingCapacity: true)
            return
        }
        guard leading > 16, leading > segments.count / 2 else { return }
        segments.removeFirst(leading)
        firstSegment += leading
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
