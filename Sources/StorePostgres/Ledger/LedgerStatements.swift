#if canImport(CPostgres)
    /// The SQL of a database's ledgers, built once for all of them.
    struct LedgerStatements: Sendable {
        /// The queries about a store's name, `$1`: for its number and its last record, its last snapshot, and the records
        /// behind that.
        let opening: [String]
        /// The statement that appends one record.
        let insertOne: String
        /// The statement that appends several records or none: the first decides whether its position is free.
        let insertMany: String

        /// The most records behind the last snapshot that are read with it: as many as a store reads at once.
        private static let tail = 1024

        init(_ tables: Tables) {
            let store = "(SELECT id FROM \(tables.store) WHERE name = $1::text)"
            opening = [
                """
                SELECT store.id, last.position, last.writer, last.batch
                FROM \(tables.store) AS store LEFT JOIN LATERAL (
                    SELECT position, writer, batch FROM \(tables.record) AS record
                    WHERE record.store = store.id ORDER BY position DESC LIMIT 1
                ) AS last ON true
                WHERE store.name = $1::text
                """,
                SnapshotRow.last(in: tables, of: store),
                """
                SELECT \(RecordRow.columns) FROM \(tables.record) WHERE store = \(store)
                AND position > coalesce((SELECT max(position) FROM \(tables.snapshot) WHERE store = \(store)), 0)
                ORDER BY position LIMIT \(Self.tail)
                """,
            ]
            // The columns of a record that differ between those of one append come last.
            let varying = "position, checksum, is_counted_on, payload"
            let insert = "INSERT INTO \(tables.record) (store, writer, batch, \(varying))"
            insertOne = """
                \(insert) SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::boolean, $7::bytea
                ON CONFLICT DO NOTHING
                """
            insertMany = """
                WITH news AS (
                    SELECT $1::bigint AS store, $2::bigint AS writer, $3::bigint AS batch,
                        $4::bigint + place AS position, checksum, is_counted_on, payload
                    FROM unnest($5::bigint[], $6::boolean[], $7::bytea[])
                        WITH ORDINALITY AS news (checksum, is_counted_on, payload, place)
                ), first AS (
                    \(insert) SELECT store, writer, batch, \(varying) FROM news WHERE position = $4 + 1
                    ON CONFLICT DO NOTHING RETURNING 1
                )
                \(insert) SELECT store, writer, batch, \(varying) FROM news
                WHERE position > $4 + 1 AND EXISTS (SELECT FROM first)
                """
        }
    }
#endif
