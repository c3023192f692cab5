import Foundation
import StoreCore

/// A queue's journal, with one row for each command.
///
/// Each opening by a queue has a row too, and only the queue of the last opening may record commands. An advisory lock
/// makes the database decide which came first, an opening or a command: queues share the lock to record commands, and
/// take it exclusively to open the journal.
final class PostgresJournal: QueueJournal {
    private let core: DatabaseCore
    private let name: String
    private let number: Int
    private let channel: Channel
    private let opening = Locked(Opening())

    private struct Opening {
        var id: JournalID?
        /// The position of this opening among the openings of all journals.
        var sequence = 0
        var superseded: (@Sendable () -> Void)?

        /// Replaces the opening, and returns the function that notifies the queue of the previous opening.
        mutating func replace(with new: Opening) -> (@Sendable () -> Void)? {
            defer { self = new }
            return superseded
        }
    }

    init(_ core: DatabaseCore, _ name: String) throws(PostgresDatabaseError) {
        self.core = core
        self.name = name
        number = try core.number(of: name, in: core.tables.journal, "journal")
        channel = core.tables.channel(.journal, number)
        core.listener.add(self, to: channel)
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        let id = JournalID.unique()
        let announcement = Announcement(channel: channel, payload: id.description)
        // Stops the previous queue first, so it cannot record commands after those that are read here.
        opening.withLock { $0.replace(with: Opening()) }?()
        let results = try core.read { connection throws(PostgresDatabaseError) in
            try connection.run(
                [
                    lock("pg_advisory_xact_lock"),
                    Connection.Request(
                        """
                        INSERT INTO \(core.tables.opening) (journal, opening) VALUES ($1::bigint, $2::bigint)
                        RETURNING sequence
                        """,
                        [.integer(number), .integer(id.bits)]
                    ),
                    Connection.Request(
                        """
                        SELECT opening, number, checksum, payload FROM \(core.tables.command) AS command
                        WHERE journal = $1 AND NOT EXISTS (
                            SELECT FROM \(core.tables.forgotten) AS forgotten
                            WHERE (forgotten.journal, forgotten.opening, forgotten.number)
                                = (command.journal, command.opening, command.number)
                        )
                        ORDER BY sequence
                        """,
                        [.integer(number)]
                    ),
                ] + clean(until: id),
                followedBy: [announcement.request(in: core.tables)]
            )
        }
        let new = Opening(id: id, sequence: results[1].integer(0, 0), superseded: superseded)
        opening.withLock { $0.replace(with: new) }?()
        core.listener.tell(announcement, from: self)
        return JournalContents(id: id, commands: try commands(results[2]))
    }

    func record(_ commands: [StoreCommand]) throws {
        let own = opening.withLock { $0 }
        guard let id = own.id else { throw superseded }
        var requests = [
            lock("pg_advisory_xact_lock_shared"),
            Connection.Request(last("opening, sequence"), [.integer(number)]),
        ]
        for command in commands {
            let data: Data
            do { data = try JSONEncoder().encode(command) } catch {
                throw PostgresDatabaseError(.other, "a command cannot be written down: \(error)")
            }
            let payload = StoredPayload(data, under: command.id.number)
            requests.append(
                Connection.Request(
                    // If the number exists, the command is already recorded although the caller received an error; the
                    // row stays.
                    """
                    INSERT INTO \(core.tables.command) (journal, opening, number, checksum, payload)
                    SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bytea
                    WHERE (\(last("opening"))) = $6::bigint
                    ON CONFLICT DO NOTHING
                    """,
                    [
                        .integer(number), .integer(command.id.bits), .integer(command.id.number),
                        .integer(payload.checksum), .bytes(payload.data), .integer(id.bits),
                    ]
                )
            )
        }
        let rows: ResultRows
        do throws(PostgresDatabaseError) { rows = try write(requests)[1] } catch {
            throw error.isInDoubt ? JournalInDoubtError(error.description) : error
        }
        if rows.count > 0, rows.integer(0, 0) == id.bits { return }
        guard rows.count > 0, rows.integer(0, 1) >= own.sequence else {
            // No later opening is in the table, so this opening was lost: a standby that lagged was promoted.
            throw PostgresDatabaseError(
                .recordsLost,
                "the database has lost the opening of the journal \(name), and perhaps commands in it: start the queue again"
            )
        }
        supersede(id)
        throw superseded
    }

    func forget(_ commands: [OrderID]) throws {
        let sql =
            core.mayDelete
            ? "DELETE FROM \(core.tables.command) WHERE journal = $1 AND opening = $2 AND number = $3"
            : "INSERT INTO \(core.tables.forgotten) (journal, opening, number) SELECT $1::bigint, $2::bigint, $3::bigint ON CONFLICT DO NOTHING"
        _ = try write(
            commands.map { Connection.Request(sql, [.integer(number), .integer($0.bits), .integer($0.number)]) }
        )
    }

    private func write(_ requests: [Connection.Request]) throws(PostgresDatabaseError) -> [ResultRows] {
        // Sorted after the writes of all stores, whose numbers are smaller.
        let write = DatabaseCore.Write(requests: requests, order: .max, verify: { _ in })
        return try core.write(write).results
    }

    private func commands(_ rows: ResultRows) throws(PostgresDatabaseError) -> [StoreCommand] {
        var commands: [StoreCommand] = []
        for row in 0..<rows.count {
            let (opening, number) = (rows.integer(row, 0), rows.integer(row, 1))
            do throws(StoredPayload.Unreadable) {
                let command = try StoredPayload.read(
                    rows.bytes(row, 3),
                    checksum: rows.integer(row, 2),
                    under: number
                ) { try JSONDecoder().decode(StoreCommand.self, from: $0) }
                guard command.id.bits == opening, command.id.number == number else {
                    throw StoredPayload.Unreadable(reason: "it is another command", isWhole: false)
                }
                commands.append(command)
            } catch {
                let line = "command \(number) of the journal \(name) cannot be read: \(error.reason)"
                if error.isWhole { throw PostgresDatabaseError(.newer, line) }
                core.note(line)
            }
        }
        return commands
    }

    /// Returns the statement that takes this journal's lock until the transaction ends.
    private func lock(_ function: String) -> Connection.Request {
        Connection.Request("SELECT \(function)(hashtextextended($1::text, 0))", [.text("StoreCore \(channel.name)")])
    }

    /// Returns the query for columns of the journal's last opening.
    private func last(_ columns: String) -> String {
        "SELECT \(columns) FROM \(core.tables.opening) WHERE journal = $1 ORDER BY sequence DESC LIMIT 1"
    }

    /// Returns the statements that delete rows which an opening makes obsolete; none if the role may not delete.
    private func clean(until id: JournalID) -> [Connection.Request] {
        guard core.mayDelete else { return [] }
        return [
            Connection.Request(
                """
                DELETE FROM \(core.tables.command) AS command USING \(core.tables.forgotten) AS forgotten
                WHERE command.journal = $1 AND (forgotten.journal, forgotten.opening, forgotten.number)
                    = (command.journal, command.opening, command.number)
                """,
                [.integer(number)]
            ),
            Connection.Request("DELETE FROM \(core.tables.forgotten) WHERE journal = $1", [.integer(number)]),
            Connection.Request(
                "DELETE FROM \(core.tables.opening) WHERE journal = $1 AND opening <> $2",
                [.integer(number), .integer(id.bits)]
            ),
        ]
    }

    private var superseded: PostgresDatabaseError {
        PostgresDatabaseError(.superseded, "the journal \(name) was opened by another queue")
    }

    /// Tells an opening's queue that another queue has opened the journal.
    private func supersede(_ id: JournalID) { opening.withLock { $0.id == id ? $0.replace(with: Opening()) : nil }?() }
}

extension PostgresJournal: NotificationListener.Recipient {
    func notified(payload: String) {
        let own = opening.withLock { $0 }
        guard let id = own.id, payload != id.description else { return }
        // Asks the database for the last opening, since a late notification may be about an earlier one.
        let rows = try? core.read { connection throws(PostgresDatabaseError) in
            try connection.run(last("opening, sequence"), .integer(number))
        }
        guard let rows, rows.count > 0, rows.integer(0, 0) != id.bits else { return }
        // An equal sequence number may belong to another opening: after a failover, numbers may be assigned again.
        if rows.integer(0, 1) >= own.sequence { supersede(id) }
    }
}
