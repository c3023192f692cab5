#if canImport(CSQLite)
    import Foundation
    import StoreCore

    extension SQLiteLedger {
        func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
            let end = min(head, position + limit)
            guard position < end else { return [] }
            if let records = recentRecords(after: position, through: end) { return records }
            return try core.use { connection throws(StoreDatabaseError) in
                var reading = Reading(next: position + 1)
                let (rows, isPageDamaged) = try Row.read(position + 1...end, of: "record", on: connection)
                let reason = isPageDamaged ? Row.damagedPage : "it is missing"
                for row in rows {
                    while reading.next < row.position { try lose(reason, Data(), connection, &reading) }
                    try take(row, connection, &reading)
                }
                while reading.next <= end { try lose(reason, Data(), connection, &reading) }
                if isPageDamaged, LedgerSalvage(core, connection).rescue(through: head) {
                    // The records of the page are reported and have been moved.
                    reading.damaged.removeAll { $0.record.reason == Row.damagedPage }
                }
                setApart(reading.damaged, connection)
                return reading.records
            }
        }

        private struct Reading {
            /// The number of the next record.
            var next: Int
            var records: [LedgerRecord] = []
            var damaged: [(record: DamagedRecord, data: Data)] = []
        }

        private func take(
            _ row: Row,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(StoreDatabaseError) {
            guard let data = row.payload else {
                // It was set apart before.
                reading.records.append(.unreadable)
                reading.next += 1
                return
            }
            let record: LedgerRecord
            do throws(StoredPayload.Unreadable) { record = try row.record(data) } catch {
                if error.isWhole { throw newer(row.position) }
                return try lose(error.reason, data, connection, &reading)
            }
            reading.records.append(record)
            reading.next += 1
        }

        /// Handles an unreadable next record: there is a second copy, or no other record depends on it.
        private func lose(
            _ reason: String,
            _ data: Data,
            _ connection: Connection,
            _ reading: inout Reading
        ) throws(StoreDatabaseError) {
            let number = reading.next
            let (rows, isPageDamaged) = try Row.read(number...number, of: "spare", on: connection)
            if let spare = rows.first {
                do throws(StoredPayload.Unreadable) {
                    reading.records.append(try spare.record(spare.payload ?? Data()))
                } catch {
                    throw error.isWhole ? newer(number) : lostTwice(number)
                }
                core.note("record \(number) of the ledger was read from its second copy: of the first, \(reason)")
            } else if isPageDamaged {
                // It is not known whether there was one.
                throw lostTwice(number)
            } else {
                reading.records.append(.unreadable)
                reading.damaged.append((DamagedRecord(place: .ledger, number: number, reason: reason), data))
            }
            reading.next += 1
        }

        private func lostTwice(_ number: Int) -> StoreDatabaseError {
            let sentence = "record \(number) of the ledger, on which later ones count, cannot be read, twice over"
            return StoreDatabaseError(.damaged, sentence)
        }

        private func newer(_ number: Int) -> StoreDatabaseError {
            StoreDatabaseError(
                .newer,
                "\(core.name) was written by a newer version: see record \(number) of its ledger"
            )
        }

        private func setApart(_ damaged: [(record: DamagedRecord, data: Data)], _ connection: Connection) {
            core.setApart(damaged, on: connection) { record throws(StoreDatabaseError) in
                // Its place is kept.
                let empty = try connection.statement(
                    "INSERT OR REPLACE INTO record (position, checksum, payload) VALUES (?1, 0, NULL)"
                )
                try empty.bind(record.number, at: 1)
                try empty.run()
            }
        }
    }

    extension Row {
        /// Decodes a record's payload.
        func record(_ data: Data) throws(StoredPayload.Unreadable) -> LedgerRecord {
            try StoredPayload.read(data, checksum: checksum, under: position) { try LedgerRecord(unpacking: $0) }
        }
    }
#endif
