#if canImport(CPostgres)
    import Foundation
    import StoreCore

    // Only a shortcut: an unreadable snapshot costs time and nothing else.
    extension PostgresLedger {
        func snapshot() throws -> LedgerSnapshot? {
            let opening = state.withLock { $0.opening.take() }
            guard let row = try opening.map(\.snapshot) ?? lastSnapshot() else { return nil }
            guard let snapshot = row.snapshot else {
                core.note("the snapshot of the store \(name) cannot be read: its checksum does not match")
                return nil
            }
            // One that is ahead of the records is another ledger's.
            guard try row.position <= state.withLock({ $0.head }) || row.position <= head else { return nil }
            return snapshot
        }

        private func lastSnapshot() throws(PostgresDatabaseError) -> SnapshotRow? {
            let sql = SnapshotRow.last(in: core.tables, of: "$1")
            return try core.read(verify: verify(_:)) { connection throws(PostgresDatabaseError) in
                SnapshotRow(try connection.run(sql, .integer(store)))
            }
        }

        func keep(_ snapshot: LedgerSnapshot) throws {
            let payload = StoredPayload(snapshot.state, under: snapshot.position)
            let place: [Parameter] = [.integer(store), .integer(snapshot.position)]
            var requests = [
                // Another process may have kept a newer one.
                Connection.Request(
                    """
                    INSERT INTO \(core.tables.snapshot) (store, position, checksum, payload)
                    SELECT $1::bigint, $2::bigint, $3::bigint, $4::bytea
                    WHERE NOT EXISTS (SELECT FROM \(core.tables.snapshot) WHERE store = $1 AND position >= $2)
                    ON CONFLICT DO NOTHING
                    """,
                    place + [.integer(payload.checksum), .bytes(payload.data)]
                )
            ]
            if core.mayDelete {
                let sql = "DELETE FROM \(core.tables.snapshot) WHERE store = $1 AND position < $2"
                requests.append(Connection.Request(sql, place))
            }
            _ = try core.write(DatabaseCore.Write(requests: requests, order: store, verify: verify(_:)))
            core.statistics.withLock { $0.snapshots += 1 }
        }
    }
#endif
