#if canImport(CPostgres)
    import Foundation
    import StoreCore

    /// A row of the table of snapshots.
    struct SnapshotRow: Sendable {
        let position: Int
        private let checksum: Int
        private let payload: Data

        /// Takes the first of the rows that a query has found, nil for none.
        init?(_ rows: ResultRows) {
            guard rows.count > 0 else { return nil }
            position = rows.integer(0, 0)
            checksum = rows.integer(0, 1)
            payload = rows.bytes(0, 2)
        }

        /// The snapshot, nil for a changed row.
        var snapshot: LedgerSnapshot? {
            guard StoredPayload(payload, under: position).checksum == checksum else { return nil }
            return LedgerSnapshot(position: position, state: payload)
        }

        /// Returns the query for a store's last snapshot.
        static func last(in tables: Tables, of store: String) -> String {
            "SELECT position, checksum, payload FROM \(tables.snapshot) WHERE store = \(store) ORDER BY position DESC LIMIT 1"
        }
    }
#endif
