/// Rows under numbers that only grow, from which any may be removed.
///
/// Rows lie in segments; a segment goes when its last row has gone, so that finding, adding and removing cost the same
/// with ten rows and with a million, nothing is ever moved, and memory follows what is left. The last segment, where nearly
/// everything happens, is at hand.
struct SlotTable<Row> {
    private static var segmentSize: Int { 256 }

    fileprivate struct Segment {
        /// Empty where the last row has gone, or none has come.
        var rows: ContiguousArray<Row?> = []
        var live = 0
    }

    /// The segment of the highest numbers so far.
    private var tail = Segment()
    private var tailNumber = 0
    /// The segments before the tail, without a gap.
    private var segments: ContiguousArray<Segment> = []
    private var firstSegment = 0
    /// The number of rows.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Inserts a row.
    ///
    /// Each number is used once. Numbers need not follow one another; it is quickest if they grow.
    @inline(__always)
    mutating func insert(_ row: consuming Row, at number: Int) {
        let segment = number / Self.segmentSize
        if segment > tailNumber { advance(to: segment) }
        count += 1
        if segment == tailNumber {
            tail.insert(row, at: number % Self.segmentSize, of: Self.segmentSize)
        } else {
            insertBelow(row, number)
        }
    }

    /// The row under a number, nil where there is none.
    subscript(number: Int) -> Row? {
        @inline(__always)
        get {
            let offset = number % Self.segmentSize
            if number / Self.segmentSize == tailNumber { return offset < tail.rows.count ? tail.rows[offset] : nil }
            guard let index = index(of: number) else { return nil }
            return segments[index].rows[offset]
        }
    }

    /// Looks at a row where it lies; nil where there is none.
    @inline(__always)
    func look<Result>(_ number: Int, _ body: (borrowing Row) -> Result) -> Result? {
        let offset = number % Self.segmentSize
        if number / Self.segmentSize == tailNumber {
            guard offset < tail.rows.count, tail.rows[offset] != nil else { return nil }
            return body(tail.rows[offset]!)
        }
        guard let index = index(of: number), segments[index].rows[offset] != nil else { return nil }
        return body(segments[index].rows[offset]!)
    }

    /// Changes a row where it lies.
    ///
    /// Returns false if there is none.
    @discardableResult
    @inline(__always)
    mutating func update(_ number: Int, _ body: (inout Row) -> Void) -> Bool {
        let offset = number % Self.segmentSize
        if number / Self.segmentSize == tailNumber {
            return offset < tail.rows.count && tail.update(offset, body)
        }
        guard let index = index(of: number) else { return false }
        return segments[index].update(offset, body)
    }

    /// Removes and returns a row.
    @discardableResult
    @inline(__always)
    mutating func remove(_ number: Int) -> Row? {
        let offset = number % Self.segmentSize
        guard number / Self.segmentSize == tailNumber else { return removeBelow(number) }
        guard offset < tail.rows.count, let row = tail.remove(offset) else { return nil }
        count -= 1
        return row
    }

    /// Calls a function with each number and its row, in the order of the numbers.
    func forEach(_ body: (Int, Row) throws -> Void) rethrows {
        for (index, segment) in segments.enumerated() {
            try segment.forEach(from: (firstSegment + index) * Self.segmentSize, body)
        }
        try tail.forEach(from: tailNumber * Self.segmentSize, body)
    }

    // MARK: Segments

    /// Begins the segment of a number that is higher than all so far.
    @inline(never)
    private mutating func advance(to segment: Int) {
        if tail.live > 0 {
            if segments.isEmpty { firstSegment = tailNumber }
            segments.append(tail)
            tail = Segment()
        } else {
            // What is left of it, empty slots, serves the next numbers.
            if !segments.isEmpty { segments.append(Segment()) }
        }
        tailNumber = segment
        guard !segments.isEmpty else { return }
        while firstSegment + segments.count < segment { segments.append(Segment()) }
        dropLeadingGaps()
    }

    /// Inserts a row under a number that lies before the tail.
    @inline(never)
    private mutating func insertBelow(_ row: consuming Row, _ number: Int) {
        let segment = number / Self.segmentSize
        if segments.isEmpty { firstSegment = tailNumber }
        while segment < firstSegment {
            segments.insert(Segment(), at: 0)
            firstSegment -= 1
        }
        segments[segment - firstSegment].insert(row, at: number % Self.segmentSize, of: Self.segmentSize)
    }

    @inline(never)
    private mutating func removeBelow(_ number: Int) -> Row? {
        guard let index = index(of: number), let row = segments[index].remove(number % Self.segmentSize) else {
            return nil
        }
        count -= 1
        if segments[index].live == 0 {
            segments[index] = Segment()
            dropLeadingGaps()
        }
        return row
    }

    /// Returns the index of the segment before the tail that has a number's slot; nil where no row can be.
    private func index(of number: Int) -> Int? {
        let index = number / Self.segmentSize - firstSegment
        guard index >= 0, index < segments.count else { return nil }
        return number % Self.segmentSize < segments[index].rows.count ? index : nil
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
    @inline(__always)
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

    @inline(__always)
    fileprivate mutating func remove(_ offset: Int) -> Row? {
        guard let row = rows[offset].take() else { return nil }
        live -= 1
        return row
    }

    fileprivate func forEach(from base: Int, _ body: (Int, Row) throws -> Void) rethrows {
        for (offset, row) in rows.enumerated() {
            if let row { try body(base + offset, row) }
        }
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
