import Foundation
import StoreCore

/// A row of records or snapshots: a number, and bytes with their checksum.
struct Row {
    let position: Int
    let checksum: Int
    /// The bytes; nil if an earlier version found them unreadable, and moved them to the table `damaged`.
    let payload: Data?

    /// Whether an earlier version found the row unreadable; it then removed the checksum as well.
    var isSetApart: Bool { payload == nil && checksum == 0 }

    /// Reads the row of a statement that selects position, checksum and payload.
    init(_ statement: Statement) {
        position = statement.integer(0)
        checksum = statement.integer(1)
        payload = statement.isNull(2) ? nil : statement.data(2)
    }
}

/// A row of the journal's table.
struct CommandRow {
    let sequence: Int
    let journal: Int
    let number: Int
    let checksum: Int
    let payload: Data

    init(_ statement: Statement) {
        sequence = statement.integer(0)
        journal = statement.integer(1)
        number = statement.integer(2)
        checksum = statement.integer(3)
        payload = statement.data(4)
    }

    /// Returns all rows in order.
    static func all(on connection: Connection) throws(SQLiteDatabaseError) -> [CommandRow] {
        let select = try connection.statement(
            "SELECT sequence, journal, number, checksum, payload FROM command ORDER BY sequence"
        )
        defer { select.reset() }
        var rows: [CommandRow] = []
        while try select.step() { rows.append(CommandRow(select)) }
        return rows
    }

    var command: StoreCommand {
        get throws(StoredPayload.Unreadable) {
            let command = try StoredPayload.read(payload, checksum: checksum, under: number) { data in
                try JSONDecoder().decode(StoreCommand.self, from: data)
            }
            guard command.id.bits == journal, command.id.number == number else {
                throw StoredPayload.Unreadable(reason: "it is another command", isWhole: false)
            }
            return command
        }
    }
}

extension StoredPayload {
    /// Encodes a value as the payload of a row with a number.
    init(under number: Int, _ encode: () throws -> Data) throws(SQLiteDatabaseError) {
        do { self.init(try encode(), under: number) } catch {
            throw SQLiteDatabaseError(.other, "a record cannot be written down: \(error)")
        }
    }

    /// Binds the row's number, checksum and bytes to the first three parameters of a statement.
    func bind(to statement: Statement, under number: Int) throws(SQLiteDatabaseError) {
        try statement.bind(number, at: 1)
        try statement.bind(checksum, at: 2)
        try statement.bind(data, at: 3)
    }
}
