import Foundation
import StoreCore

/// The names of StoreCore's tables and channels in a schema.
struct Tables: Sendable {
    /// The schema's name, as configured.
    let schemaName: String
    /// The schema's name, quoted as an identifier in SQL.
    let schema: String

    let migration: String
    let store: String
    let record: String
    let snapshot: String
    let journal: String
    let opening: String
    let command: String
    let forgotten: String

    init(schema name: String) {
        let schema = Self.quoted(name)
        schemaName = name
        self.schema = schema
        migration = "\(schema).migration"
        store = "\(schema).store"
        record = "\(schema).record"
        snapshot = "\(schema).snapshot"
        journal = "\(schema).journal"
        opening = "\(schema).opening"
        command = "\(schema).command"
        forgotten = "\(schema).forgotten"
    }

    /// Returns the channel for notifications of a store's or a journal's changes.
    func channel(_ kind: Channel.Kind, _ number: Int) -> Channel {
        Channel(kind: kind, schema: schemaName, number: number)
    }

    /// Returns a name, quoted as an identifier in SQL.
    static func quoted(_ name: String) -> String { "\"\(doubling("\"", in: name))\"" }

    /// Returns a text, quoted as a literal in SQL.
    static func literal(_ text: String) -> String { "'\(doubling("'", in: text))'" }

    /// Returns a text with every quotation mark doubled, even one that is followed by a combining accent.
    private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
        if !text.unicodeScalars.contains(mark) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == mark { scalars.append(mark) }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

/// A channel of `LISTEN` and `NOTIFY`.
struct Channel: Hashable, Sendable {
    enum Kind: String { case store, journal }

    /// The name, with at most 63 bytes as PostgreSQL requires; a hash replaces the name of a long schema.
    let name: String

    init(name: String) { self.name = name }

    init(kind: Kind, schema: String, number: Int) {
        let suffix = "_\(kind.rawValue)_\(number)"
        let prefix = "storecore_\(schema)"
        name =
            prefix.utf8.count + suffix.utf8.count <= 63
            ? prefix + suffix : "storecore_\(Self.hash(schema))\(suffix)"
    }

    /// Returns the FNV-1a hash of a name, which, unlike Swift's, is the same in every process.
    private static func hash(_ name: String) -> String {
        String(name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}

/// The SQL statements of a database's ledgers, built once for all of them.
struct LedgerStatements: Sendable {
    /// The queries that open the ledger of the store with the name `$1`: the store and its last record, the last
    /// snapshot, and the records after it.
    let opening: [String]
    /// The statement that appends one record.
    let insertOne: String
    /// The statement that appends any number of records, or none if the first one's position is taken.
    let insertMany: String

    /// The maximum number of records read together with the last snapshot, as many as a store reads at a time.
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
        // The columns whose values differ between the records of one append; they come last.
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

/// A row of the table of records.
struct RecordRow {
    /// The columns that ``all(in:)`` expects of a statement.
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

    /// Decodes the row's record.
    ///
    /// - Throws: `damaged` for a changed row on which later records depend, and `newer` for a row of a newer version.
    /// - Returns: the record; nil for any other changed row, which counts as unreadable.
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

/// The identifier of one attempt to append records, by which a writer recognizes its own records.
struct RecordMark: Hashable, Sendable {
    let writer: Int
    let batch: Int
}

/// A row of the table of snapshots.
struct SnapshotRow: Sendable {
    let position: Int
    private let checksum: Int
    private let payload: Data

    /// Reads the first row of a result; nil if there is none.
    init?(_ rows: ResultRows) {
        guard rows.count > 0 else { return nil }
        position = rows.integer(0, 0)
        checksum = rows.integer(0, 1)
        payload = rows.bytes(0, 2)
    }

    /// The snapshot in the row; nil if the checksum does not match.
    var snapshot: LedgerSnapshot? {
        guard StoredPayload(payload, under: position).checksum == checksum else { return nil }
        return LedgerSnapshot(position: position, state: payload)
    }

    /// Returns the query for a store's last snapshot.
    static func last(in tables: Tables, of store: String) -> String {
        "SELECT position, checksum, payload FROM \(tables.snapshot) WHERE store = \(store) ORDER BY position DESC LIMIT 1"
    }
}
