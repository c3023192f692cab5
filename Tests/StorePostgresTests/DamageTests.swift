#if canImport(CPostgres)
    import Foundation
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct DamageTests {
        private let place: TestDatabase
        private let records: [LedgerRecord]
        /// The position of a record on which no other counts, and that of one on which others do.
        private let (plain, counted): (Int, Int)

        init() throws {
            place = try TestDatabase()
            records = try Shop.records(12)
            counted = 1 + (try #require(records.firstIndex { $0.isCountedOn }))
            plain = 1 + (try #require(records.firstIndex { !$0.isCountedOn }))
            let ledger = try place.open().ledger("shop")
            try #require(try ledger.append(records, ifHeadIs: 0))
        }

        private func change(_ position: Int) throws {
            try place.run("UPDATE {schema}.record SET payload = payload || '\\x00' WHERE position = \(position)")
        }

        private func read() throws -> [LedgerRecord] { try place.open().ledger("shop").read(after: 0, limit: 100) }

        @Test func `A changed record is reported once, and served as unreadable`() throws {
            try change(plain)
            let ledger = try place.open().ledger("shop")
            var expected = records
            expected[plain - 1] = .unreadable
            for _ in 1...2 { #expect(try ledger.read(after: 0, limit: 100) == expected) }
            let line = "record \(plain) of the store shop cannot be read: its checksum does not match"
            #expect(place.log.lines == [line])
            #expect(try place.open().check("shop") == ["record \(plain) cannot be read"])
        }

        @Test func `A changed record on which others count is refused with a sentence`() throws {
            try change(counted)
            let error = #expect(throws: PostgresDatabaseError.self) { try read() }
            #expect(error?.code == .damaged)
            #expect(error?.description.contains("record \(counted) of the store shop") == true)
            #expect(throws: PostgresDatabaseError.self) {
                try SandboxStore(products: Shop.products, ledger: place.open().ledger("shop"))
            }
            #expect(try place.open().check("shop").count == 1)
        }

        @Test func `A record of another position is noticed by its checksum`() throws {
            let last = records.count
            try place.run(
                "UPDATE {schema}.record SET (checksum, payload) = (SELECT checksum, payload FROM {schema}.record WHERE position = \(last - 1)) WHERE position = \(last)"
            )
            #expect(try read().last == .unreadable)
        }

        @Test(arguments: [1, 5, 11]) func `A missing record is refused with a sentence`(position: Int) throws {
            try place.run("DELETE FROM {schema}.record WHERE position = \(position)")
            let error = #expect(throws: PostgresDatabaseError.self) { try read() }
            #expect(error?.code == .damaged)
            #expect(error?.description.contains("record \(position) of the store shop is missing") == true)
            #expect(try place.open().check("shop") == ["records \(position) to \(position) are missing"])
        }

        @Test func `A record of a newer version is refused with a sentence`() throws {
            try place.run(
                "UPDATE {schema}.record SET payload = '\\x00', checksum = \(StoredPayload(Data([0]), under: plain).checksum) WHERE position = \(plain)"
            )
            let ledger = try place.open().ledger("shop")
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.read(after: 0, limit: 5) }
            #expect(error?.code == .newer)
            #expect(error?.description.contains("record \(plain)") == true)
        }

        @Test func `A record that vanishes while its writer is away stops the store`() throws {
            // The connection comes back however long the machine takes to notice its end.
            let ledger = try place.open { $0.patience = 600 }.ledger("shop")
            #expect(try ledger.head == 12)
            try place.run("DELETE FROM {schema}.record WHERE position = 12")
            // Nothing is known of it before the connection is lost.
            #expect(try ledger.head == 12)
            try place.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%{schema}%' AND pid <> pg_backend_pid()"
            )
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
            #expect(error?.code == .recordsLost)
        }

        @Test func `A store begins on its snapshot, and reads nothing before it`() throws {
            let database = try place.open { $0.snapshotDistance = 4 }
            let store = try SandboxStore(products: Shop.products, ledger: database.ledger("shop"))
            try store.account.buy("full.game")
            #expect(database.statistics.snapshots == 1)
            try place.run("DELETE FROM {schema}.record WHERE position = 5")
            let again = try SandboxStore(products: Shop.products, ledger: place.open().ledger("shop"))
            #expect(again.account.entitlements == store.account.entitlements)
            // Without the snapshot it would have to.
            try place.run("DELETE FROM {schema}.snapshot")
            #expect(throws: PostgresDatabaseError.self) {
                try SandboxStore(products: Shop.products, ledger: place.open().ledger("shop"))
            }
        }

        @Test func `A changed snapshot is reported, and all records are read`() throws {
            let database = try place.open { $0.snapshotDistance = 4 }
            let store = try SandboxStore(products: Shop.products, ledger: database.ledger("shop"))
            try store.account.buy("full.game")
            try place.run("UPDATE {schema}.snapshot SET payload = payload || '\\x20'")
            let again = try SandboxStore(products: Shop.products, ledger: place.open().ledger("shop"))
            #expect(again.account.entitlements == store.account.entitlements)
            #expect(place.log.lines == ["the snapshot of the store shop cannot be read: its checksum does not match"])
        }

        @Test func `A snapshot that the server cannot read costs time and nothing else`() throws {
            let database = try place.open { $0.snapshotDistance = 4 }
            let store = try SandboxStore(products: Shop.products, ledger: database.ledger("shop"))
            try store.account.buy("full.game")
            try place.run(
                """
                ALTER TABLE {schema}.snapshot RENAME TO kept;
                CREATE VIEW {schema}.snapshot AS SELECT store, position, checksum,
                CASE WHEN store > 0 THEN decode('zz', 'hex') ELSE payload END AS payload FROM {schema}.kept
                """
            )
            let again = try SandboxStore(products: Shop.products, ledger: place.open().ledger("shop"))
            #expect(again.account.entitlements == store.account.entitlements)
        }
    }
#endif
