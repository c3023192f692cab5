/// A step from one version of the file's format to the next.
///
/// A released step is never changed: each further change is a step of its own. A step is also needed for a new kind of
/// content in records or commands, even if no table changes: earlier versions then refuse the whole file.
struct Migration {
    let name: String
    /// A query for the position of a record that the step would lose; nil for a step that loses none.
    var loss: String?
    let sql: String

    /// All steps, in order.
    ///
    /// A file with format number 2 has been through the first two. Earlier versions moved unreadable records to the
    /// table `damaged` and to tables such as `record_damaged_1`, which remain for inspection.
    static let all = [
        Migration(
            name: "records and commands",
            sql: """
                CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE record (position INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, payload BLOB);
                CREATE TABLE command (
                    sequence INTEGER PRIMARY KEY,
                    journal INTEGER NOT NULL,
                    number INTEGER NOT NULL,
                    checksum INTEGER NOT NULL,
                    payload BLOB NOT NULL,
                    UNIQUE (journal, number)
                );
                """
        ),
        Migration(
            name: "spare copies, snapshots, and a place for what is damaged",
            sql: """
                CREATE TABLE spare (position INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, payload BLOB NOT NULL);
                CREATE TABLE snapshot (position INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, payload BLOB NOT NULL);
                CREATE TABLE damaged (
                    id INTEGER PRIMARY KEY,
                    place TEXT NOT NULL,
                    number INTEGER NOT NULL,
                    reason TEXT NOT NULL,
                    payload BLOB
                );
                """
        ),
        Migration(
            name: "how far there may be records",
            sql: "CREATE TABLE reserve (position INTEGER NOT NULL); INSERT INTO reserve VALUES (0);"
        ),
        Migration(name: "records of what servers change, and of requests for refunds", sql: ""),
        Migration(name: "records of the tokens of devices elsewhere", sql: ""),
        Migration(name: "records of orders that are answered by what is held", sql: ""),
        Migration(
            name: "no second copies of records",
            // If a record and its copy differ, the copy may be the readable one, and the step would lose it.
            loss: """
                SELECT position FROM spare LEFT JOIN record USING (position)
                WHERE record.checksum IS NOT spare.checksum OR record.payload IS NOT spare.payload
                """,
            sql: "DROP TABLE spare; DROP TABLE reserve;"
        ),
        Migration(name: "short records of purchases without an order, and of attempts at notifications", sql: ""),
        Migration(
            name: "records of partial refunds, commitments, bundles, external sales, retention and Advanced Commerce",
            sql: ""
        ),
    ]

    /// Creates a new file, or migrates an older one, in one transaction.
    ///
    /// A file of another program is refused before anything is written.
    static func run(on connection: Connection, name: String) throws(SQLiteDatabaseError) {
        let isChanged = try connection.transaction("EXCLUSIVE") { () throws(SQLiteDatabaseError) -> Bool in
            let version = try connection.number("PRAGMA user_version") ?? 0
            if try connection.number("SELECT count(*) FROM sqlite_master") == 0, version == 0 {
                try connection.execute("PRAGMA application_id = \(DatabaseFile.applicationID)")
            } else {
                let applicationID = try connection.number("PRAGMA application_id") ?? 0
                try DatabaseFile.check(applicationID: applicationID, version: version, all.count, name)
                try check(connection, version, name)
                // Writes nothing if the file is up to date, so opening does not wait for the disk.
                if version == all.count { return false }
            }
            var isRead = version == 0
            for (index, migration) in all.enumerated().dropFirst(version) {
                if !isRead, let loss = migration.loss, let position = try connection.number(loss) {
                    throw SQLiteDatabaseError(
                        damaged: name,
                        "record \(position) of its ledger differs from its second copy"
                    )
                }
                // Refuses a damaged file: the version that wrote it may still be able to read it, perhaps from the copies
                // that the steps drop.
                if !isRead, migration.loss != nil || index == all.count - 1 {
                    if let damage = try DatabaseFile.unreadable(on: connection).first {
                        throw SQLiteDatabaseError(damaged: name, damage)
                    }
                    isRead = true
                }
                try connection.execute(migration.sql)
                let note = try connection.statement("INSERT INTO migration (number, name) VALUES (?1, ?2)")
                try note.bind(index + 1, at: 1)
                try note.bind(migration.name, at: 2)
                try note.run()
            }
            try connection.execute("PRAGMA user_version = \(all.count)")
            return true
        }
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteDatabaseError(.other, "\(name) cannot be written ahead: its file system has no locks")
        }
        // Checkpoints the file, so a program that reads the file without its log finds the new version in the header.
        if isChanged { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Throws an error unless the steps that the file has been through are the first of the known steps.
    private static func check(_ connection: Connection, _ version: Int, _ name: String) throws(SQLiteDatabaseError) {
        let rows = try connection.statement("SELECT name FROM migration ORDER BY number")
        defer { rows.reset() }
        var names: [String] = []
        while try rows.step() { names.append(rows.text(0) ?? "") }
        guard names == all.prefix(version).map(\.name) else {
            throw SQLiteDatabaseError(.foreign, "\(name) has gone through other changes of format than are known here")
        }
    }
}
