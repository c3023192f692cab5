/// An array of rows that are found by numbers of their own type, the first one by 0.
///
/// In a snapshot its rows are packed, see ``SnapshotRows``.
struct Table<Number: TypedNumber, Row> {
    private var rows: [Row]

    init(_ rows: [Row] = []) { self.rows = rows }

    /// Adds a row under the next number, the ``endIndex``.
    mutating func append(_ row: Row) { rows.append(row) }
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
