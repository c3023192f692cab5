#if canImport(CSQLite)
    import Foundation
    import StoreCore

    // Only a shortcut: an unreadable snapshot costs time and nothing else.
    extension SQLiteLedger {
        func snapshot() throws -> LedgerSnapshot? {
            try core.use { connection throws(StoreDatabaseError) in
                let row: Row?
                do throws(StoreDatabaseError) { row = try Self.row(on: connection) } catch {
                    guard error.code == .damaged else { throw error }
                    Self.setAside(core, connection)
                    correctHead(try LedgerSalvage.end(core, connection))
                    return nil
                }
                guard let row else { return nil }
                let (position, data) = (row.position, row.payload ?? Data())
                if StoredPayload(data, under: position).checksum == row.checksum {
                    return LedgerSnapshot(position: position, state: data)
                }
                let damage = DamagedRecord(place: .snapshot, number: position, reason: "its checksum does not match")
                core.setApart([(damage, data)], on: connection) { record throws(StoreDatabaseError) in
                    try connection.execute("DELETE FROM snapshot")
                }
                // Its number of records is not trusted either.
                correctHead(try LedgerSalvage.end(core, connection))
                return nil
            }
        }

        private static func row(on connection: Connection) throws(StoreDatabaseError) -> Row? {
            let row = try connection.statement("SELECT position, checksum, payload FROM snapshot")
            defer { row.reset() }
            return try row.step() ? Row(row) : nil
        }

        /// Returns the number of records that the snapshot contains.
        static func endOfSnapshot(_ core: DatabaseCore, _ connection: Connection) throws(StoreDatabaseError) -> Int {
            do throws(StoreDatabaseError) {
                return try connection.number("SELECT max(position) FROM snapshot") ?? 0
            } catch {
                guard error.code == .damaged else { throw error }
                setAside(core, connection)
                return 0
            }
        }

        /// Sets the snapshots aside, whose page is damaged.
        private static func setAside(_ core: DatabaseCore, _ connection: Connection) {
            let damage = DamagedRecord(place: .snapshot, number: 0, reason: Row.damagedPage)
            core.setApart([(damage, Data())], on: connection) { _ throws(StoreDatabaseError) in
                try core.setAside("snapshot", on: connection)
            }
        }

        func keep(_ snapshot: LedgerSnapshot) throws {
            let payload = StoredPayload(snapshot.state, under: snapshot.position)
            try core.write { connection throws(StoreDatabaseError) in
                try connection.statement("DELETE FROM snapshot").run()
                let insert = try connection.statement(
                    "INSERT INTO snapshot (position, checksum, payload) VALUES (?1, ?2, ?3)"
                )
                try payload.bind(to: insert, under: snapshot.position)
                try insert.run()
            }
        }
    }
#endif
