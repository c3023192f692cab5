#if canImport(CPostgres)
    import Foundation
    import StoreCore

    extension PostgresLedger {
        /// A store's last snapshot, as it was found when the ledger was opened.
        struct Opening {
            let snapshot: SnapshotRow?
        }
    }

    extension PostgresLedger.State {
        /// Creates the state from what the queries of an opening have found.
        init(opening found: [ResultRows], of name: String, connection: Int) {
            self.connection = connection
            if !found[0].isNull(0, 1) {
                head = found[0].integer(0, 1)
                mark = RecordMark(writer: found[0].integer(0, 2), batch: found[0].integer(0, 3))
            }
            guard found.count == 3 else { return }
            opening = PostgresLedger.Opening(snapshot: SnapshotRow(found[1]))
            if mark == nil { return }
            // Others may have appended since the first query. What cannot be read is read again, and then reported.
            let rows = RecordRow.all(in: found[2])
            guard let first = rows.first, let last = rows.last, last.position >= head,
                last.position - first.position == rows.count - 1
            else { return }
            let records = rows.compactMap { try? $0.record(of: name) }
            guard records.count == rows.count else { return }
            (head, mark, recent) = (last.position, last.mark, records[...])
        }
    }
#endif
