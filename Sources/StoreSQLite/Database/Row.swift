#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A row of records, their second copies or snapshots: a number, and bytes with their checksum.
    struct Row {
        let position: Int
        let checksum: Int
        /// The bytes; nil if they were unreadable and have been moved to the table `damaged`.
        let payload: Data?

        /// Reads the row of a statement that selects these three columns.
        init(_ statement: Statement) {
            position = statement.integer(0)
            checksum = statement.integer(1)
            payload = statement.isNull(2) ? nil : statement.data(2)
        }

        /// The reason for the loss of a row that SQLite cannot reach.
        static let damagedPage = "the page that it was on is damaged"

        /// Returns the reachable rows of a table in a range, in order.
        ///
        /// - Returns: also whether SQLite reports a corrupt page, which may have contained other rows.
        static func read(
            _ range: ClosedRange<Int>,
            of table: String,
            on connection: Connection
        ) throws(SQLiteDatabaseError) -> (rows: [Row], isPageDamaged: Bool) {
            let all = try connection.statement(
                "SELECT position, checksum, payload FROM \(table) WHERE position BETWEEN ?1 AND ?2 ORDER BY position"
            )
            if let rows = try rows(all, range.lowerBound, range.upperBound) { return (rows, false) }
            // One by one: reading most of them does not touch the damaged page.
            let one = try connection.statement("SELECT position, checksum, payload FROM \(table) WHERE position = ?1")
            var found: [Row] = []
            for position in range { found += try rows(one, position) ?? [] }
            return (found, true)
        }

        /// Returns the selected rows; nil where a page is damaged.
        private static func rows(_ select: Statement, _ numbers: Int...) throws(SQLiteDatabaseError) -> [Row]? {
            defer { select.reset() }
            for (index, number) in numbers.enumerated() { try select.bind(number, at: Int32(index + 1)) }
            var rows: [Row] = []
            do throws(SQLiteDatabaseError) {
                while try select.step() { rows.append(Row(select)) }
                return rows
            } catch {
                guard error.code == .damaged else { throw error }
                return nil
            }
        }
    }

    extension StoredPayload {
        /// Encodes a value under a number.
        init(under number: Int, _ encode: () throws -> Data) throws(SQLiteDatabaseError) {
            do { self.init(try encode(), under: number) } catch {
                throw SQLiteDatabaseError(.other, "a record cannot be written down: \(error)")
            }
        }

        /// Binds it to the second and third parameters of a statement, and its number to the first.
        func bind(to statement: Statement, under number: Int) throws(SQLiteDatabaseError) {
            try statement.bind(number, at: 1)
            try statement.bind(checksum, at: 2)
            try statement.bind(data, at: 3)
        }
    }
#endif
