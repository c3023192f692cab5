#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// A row of the journal's table.
    struct CommandRow {
        let sequence: Int
        let journal: Int
        let number: Int
        let checksum: Int
        let payload: Data

        /// The columns that the statements select for rows.
        static let columns = "sequence, journal, number, checksum, payload"

        init(_ statement: Statement) {
            sequence = statement.integer(0)
            journal = statement.integer(1)
            number = statement.integer(2)
            checksum = statement.integer(3)
            payload = statement.data(4)
        }

        /// Returns all rows in order; nil where a page of the table or of its index is damaged.
        static func all(on connection: Connection) throws(StoreDatabaseError) -> [CommandRow]? {
            do throws(StoreDatabaseError) {
                let select = try connection.statement("SELECT \(columns) FROM command ORDER BY sequence")
                defer { select.reset() }
                var rows: [CommandRow] = []
                while try select.step() { rows.append(CommandRow(select)) }
                let count = "SELECT count(*) FROM command INDEXED BY sqlite_autoindex_command_1"
                return try connection.number(count) == rows.count ? rows : nil
            } catch {
                guard error.code == .damaged else { throw error }
                return nil
            }
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

        /// Binds the row to the five parameters of a statement.
        func bind(to statement: Statement) throws(StoreDatabaseError) {
            for (index, value) in [sequence, journal, number, checksum].enumerated() {
                try statement.bind(value, at: Int32(index + 1))
            }
            try statement.bind(payload, at: 5)
        }
    }
#endif
