#if canImport(CSQLite)
    import Foundation

    /// A row as records, their second copies and snapshots have it: a number, and bytes with their checksum.
    struct Row {
        let position: Int
        let checksum: Int
        /// Nil where what could not be read was set apart.
        let payload: Data?

        /// Of a statement that gives these three.
        init(_ statement: Statement) {
            position = statement.integer(0)
            checksum = statement.integer(1)
            payload = statement.isNull(2) ? nil : statement.data(2)
        }

        /// Why a row is lost that SQLite cannot reach.
        static let damagedPage = "the page that it was on is damaged"

        /// Those of a table's rows in a range that are there and can be reached, in their order.
        ///
        /// - Returns: also whether there is a page that SQLite calls corrupt, so that others may have been there.
        static func read(
            _ range: ClosedRange<Int>,
            of table: String,
            on connection: Connection
        ) throws(StoreDatabaseError) -> (rows: [Row], isPageDamaged: Bool) {
            let all = try connection.statement(
                "SELECT position, checksum, payload FROM \(table) WHERE position BETWEEN ?1 AND ?2 ORDER BY position"
            )
            if let rows = try rows(all, range.lowerBound, range.upperBound) { return (rows, false) }
            // Each for itself: the way to most of them does not lead by the damaged page, nor on to it.
            let one = try connection.statement("SELECT position, checksum, payload FROM \(table) WHERE position = ?1")
            var found: [Row] = []
            for position in range { found += try rows(one, position) ?? [] }
            return (found, true)
        }

        /// Nil where a page is damaged.
        private static func rows(_ select: Statement, _ numbers: Int...) throws(StoreDatabaseError) -> [Row]? {
            defer { select.reset() }
            for (index, number) in numbers.enumerated() { try select.bind(number, at: Int32(index + 1)) }
            var rows: [Row] = []
            do throws(StoreDatabaseError) {
                while try select.step() { rows.append(Row(select)) }
                return rows
            } catch {
                guard error.code == .damaged else { throw error }
                return nil
            }
        }
    }
#endif
