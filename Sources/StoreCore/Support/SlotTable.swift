/// A table of removable rows under ascending numbers.
///
/// Rows are in segments of 256 numbers; a segment is released when its last row is removed. Finding, adding and
/// removing a row therefore cost the same for ten rows and for a million, rows are never moved, and memory is
/// proportional to the remaining rows. The last segment, which is accessed most, is stored directly.
struct SlotTable<Row> {
    private static var segmentSize: Int { 256 }

    /// The place of a number; a struct, since the library's functions for arrays of references are not inlined.
    fileprivate struct Slot {
        var row: Row?
    }

    fileprivate struct Segment {
        /// The slots; empty if the segment's last row was removed, or none was added.
        var slots: ContiguousArray<Slot> = []
        var live = 0
    }

    /// The segment of the highest numbers used so far.
    private var tail = Segment()
    private var tailNumber = 0
    /// The segments before the tail, without gaps in their numbers.
    private var segments: ContiguousArray<Segment> = []
    private var firstSegment = 0
    /// The number of rows.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Inserts a row.
    ///
    /// A number must not be used twice. Numbers need not be consecutive; ascending numbers are fastest.
    @inline(__always)
    mutating func insert(_ row: consuming Row, at number: Int) {
        let segment = number / Self.segmentSize
        if segment > tailNumber { advance(to: segment) }
        count += 1
        if segment == tailNumber {
            // The first segment grows like an array, since most tables have few rows.
            tail.insert(row, at: number % Self.segmentSize, reserving: segment == 0 ? 0 : Self.segmentSize)
        } else {
            insertBelow(row, number)
        }
    }

    /// The row of a number; nil if there is none.
    subscript(number: Int) -> Row? {
        @inline(__always)
        get {
            let offset = number % Self.segmentSize
            if number / Self.segmentSize == tailNumber {
                return offset < tail.slots.count ? tail.slots[offset].row : nil
            }
            guard let index = index(of: number) else { return nil }
            return segments[index].slots[offset].row
        }
    }

    /// Reads a row in place; returns nil if there is none.
    @inline(__always)
    func look<Result>(_ number: Int, _ body: (borrowing Row) -> Result) -> Result? {
        let offset = number % Self.segmentSize
        if number / Self.segmentSize == tailNumber {
            guard offset < tail.slots.count, tail.slots[offset].row != nil else { return nil }
            return body(tail.slots[offset].row!)
        }
        guard let index = index(of: number), segments[index].slots[offset].row != nil else { return nil }
        return body(segments[index].slots[offset].row!)
    }

    /// Updates a row in place.
    ///
    /// Returns false if there is no such row.
    @discardableResult
    @inline(__always)
    mutating func update(_ number: Int, _ body: (inout Row) -> Void) -> Bool {
        let offset = number % Self.segmentSize
        if number / Self.segmentSize == tailNumber { return offset < tail.slots.count && tail.update(offset, body) }
        guard let index = index(of: number) else { return false }
        return segments[index].update(offset, body)
    }

    /// Removes and returns a row.
    @discardableResult
    @inline(__always)
    mutating func remove(_ number: Int) -> Row? {
        let offset = number % Self.segmentSize
        guard number / Self.segmentSize == tailNumber else { return removeBelow(number) }
        guard offset < tail.slots.count, let row = tail.remove(offset) else { return nil }
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

    /// Begins a new last segment, for a number higher than all previous ones.
    @inline(never)
    private mutating func advance(to segment: Int) {
        if tail.live > 0 {
            if segments.isEmpty { firstSegment = tailNumber }
            segments.append(tail)
            tail = Segment()
        } else {
            // The empty tail is reused for the next numbers.
            if !segments.isEmpty { segments.append(Segment()) }
        }
        tailNumber = segment
        guard !segments.isEmpty else { return }
        while firstSegment + segments.count < segment { segments.append(Segment()) }
        dropLeadingGaps()
    }

    /// Inserts a row whose number belongs to a segment before the tail.
    @inline(never)
    private mutating func insertBelow(_ row: consuming Row, _ number: Int) {
        let segment = number / Self.segmentSize
        if segments.isEmpty { firstSegment = tailNumber }
        while segment < firstSegment {
            segments.insert(Segment(), at: 0)
            firstSegment -= 1
        }
        segments[segment - firstSegment].insert(row, at: number % Self.segmentSize, reserving: Self.segmentSize)
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

    /// Returns the index in `segments` of the segment that contains a number's slot; nil if none does.
    private func index(of number: Int) -> Int? {
        let index = number / Self.segmentSize - firstSegment
        guard index >= 0, index < segments.count else { return nil }
        return number % Self.segmentSize < segments[index].slots.count ? index : nil
    }

    /// Drops released segments at the front once they are more than half, so that dropping stays cheap on average.
    private mutating func dropLeadingGaps() {
        guard let leading = segments.firstIndex(where: { !$0.slots.isEmpty }) else {
            segments.removeAll(keepingCapacity: true)
            return
        }
        guard leading > 16, leading > segments.count / 2 else { return }
        segments.removeFirst(leading)
        firstSegment += leading
    }
}

// Each method accesses the segment only once, which is faster than several accesses.
extension SlotTable.Segment {
    @inline(__always)
    fileprivate mutating func insert(_ row: consuming Row, at offset: Int, reserving capacity: Int) {
        if slots.isEmpty { slots.reserveCapacity(capacity) }
        while slots.count < offset { slots.append(SlotTable.Slot(row: nil)) }
        if slots.count == offset {
            slots.append(SlotTable.Slot(row: row))
        } else {
            precondition(slots[offset].row == nil, "a slot is used once")
            slots[offset].row = row
        }
        live += 1
    }

    @inline(__always)
    fileprivate mutating func update(_ offset: Int, _ body: (inout Row) -> Void) -> Bool {
        guard slots[offset].row != nil else { return false }
        body(&slots[offset].row!)
        return true
    }

    @inline(__always)
    fileprivate mutating func remove(_ offset: Int) -> Row? {
        guard let row = slots[offset].row.take() else { return nil }
        live -= 1
        return row
    }

    fileprivate func forEach(from base: Int, _ body: (Int, Row) throws -> Void) rethrows {
        for (offset, slot) in slots.enumerated() {
            if let row = slot.row { try body(base + offset, row) }
        }
    }
}

extension SlotTable: Sendable where Row: Sendable {}
extension SlotTable.Segment: Sendable where Row: Sendable {}
extension SlotTable.Slot: Sendable where Row: Sendable {}

/// An array whose indices are typed numbers, starting at 0.
///
/// In a snapshot, its rows are packed, see ``SnapshotRows``.
struct Table<Number: TypedNumber, Row> {
    private var rows: [Row]

    init(_ rows: [Row] = []) { self.rows = rows }

    /// Adds a row whose number is the previous ``endIndex``.
    mutating func append(_ row: Row) { rows.append(row) }

    /// Reserves the memory for a number of rows in all.
    mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }
}

extension Table: RandomAccessCollection, MutableCollection {
    var startIndex: Number { 0 }
    var endIndex: Number { Number(rawValue: rows.count) }

    subscript(number: Number) -> Row {
        @inline(__always) get { rows[number.rawValue] }
        @inline(__always) _modify { yield &rows[number.rawValue] }
    }
}

extension Table: Equatable where Row: Equatable {}

extension Table: Sendable where Row: Sendable {}

/// An array that grows by segments and never moves its elements: the millionth append costs the same as the first.
struct SegmentedArray<Element> {
    private static var segmentSize: Int { 256 }
    private var segments: ContiguousArray<ContiguousArray<Element>> = []
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count % Self.segmentSize == 0 {
            var segment = ContiguousArray<Element>()
            // The first segment starts small and grows like an array, since most instances hold few elements.
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
