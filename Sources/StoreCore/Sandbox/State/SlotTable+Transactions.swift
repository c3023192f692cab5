// Rows under the numbers of transactions.
extension SlotTable {
    subscript(number: TransactionNumber) -> Row? {
        @inline(__always) get { self[number.rawValue] }
    }

    @inline(__always)
    mutating func insert(_ row: consuming Row, at number: TransactionNumber) { insert(row, at: number.rawValue) }

    @discardableResult
    @inline(__always)
    mutating func update(_ number: TransactionNumber, _ body: (inout Row) -> Void) -> Bool {
        update(number.rawValue, body)
    }

    @discardableResult
    @inline(__always)
    mutating func remove(_ number: TransactionNumber) -> Row? { remove(number.rawValue) }

    /// Calls a function with each number and its row, in the order of the numbers.
    func forEachTransaction(_ body: (TransactionNumber, Row) throws -> Void) rethrows {
        try forEach { number, row in try body(TransactionNumber(rawValue: number), row) }
    }
}
