#if canImport(CPostgres)
    import Foundation
    import StoreCore

    /// A row of the table of records.
    struct RecordRow {
        /// The columns that statements select for rows.
        static let columns = "position, writer, batch, checksum, is_counted_on, payload"

        let position: Int
        let mark: RecordMark
        private let checksum: Int
        private let isCountedOn: Bool
        private let payload: Data

        init(_ rows: ResultRows, _ row: Int) {
            position = rows.integer(row, 0)
            mark = RecordMark(writer: rows.integer(row, 1), batch: rows.integer(row, 2))
            checksum = rows.integer(row, 3)
            isCountedOn = rows.integer(row, 4) == 1
            payload = rows.bytes(row, 5)
        }

        /// Returns all rows of a result.
        static func all(in rows: ResultRows) -> [RecordRow] { (0..<rows.count).map { RecordRow(rows, $0) } }

        /// Decodes the record.
        ///
        /// - Throws: `damaged` for a changed row on which later records count, and `newer`.
        /// - Returns: nil for any other changed row, which is served as an unreadable one.
        func record(of store: String) throws(PostgresDatabaseError) -> LedgerRecord? {
            do throws(StoredPayload.Unreadable) {
                return try StoredPayload.read(payload, checksum: checksum, under: position) {
                    try LedgerRecord(unpacking: $0)
                }
            } catch {
                if error.isWhole {
                    throw PostgresDatabaseError(
                        .newer,
                        "the store \(store) was written by a newer version: see its record \(position)"
                    )
                }
                if isCountedOn {
                    throw PostgresDatabaseError(
                        .damaged,
                        "record \(position) of the store \(store) is damaged, and later ones count on it: restore a backup"
                    )
                }
                return nil
            }
        }
    }

    /// The name of an attempt to append: whoever appended a record is found again by it.
    struct RecordMark: Hashable, Sendable {
        let writer: Int
        let batch: Int
    }
#endif
