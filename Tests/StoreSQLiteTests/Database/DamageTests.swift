#if canImport(CSQLite)
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import Testing

    @Suite(.sqlite) struct DamageTests {
        private let folder: Folder
        private let log = LogRecorder()

        init() throws {
            folder = try Folder()
            let database = try folder.open()
            let shop = try Shop(database)
            for product in ["sword", "season", "full.game"] { shop.buy(product) }
            shop.store.isReachable = false
            for _ in 1...2 { shop.buy("sword") }
            database.close()
        }

        private func spoil(_ sql: String) throws { try RawDatabase(folder.file).run(sql) }

        /// Shows that a damaged part is refused with this sentence, as is everything else then, and that the file is left.
        private func refuses(_ part: String, _ read: (SQLiteDatabase) throws -> Void) throws {
            let before = try folder.contents
            let database = try folder.open(log: log.log)
            let error = try #require(throws: SQLiteDatabaseError.self) { try read(database) }
            #expect(error.code == .damaged)
            #expect(
                error.description
                    == "store.sqlite is damaged: \(part). Nothing in it was changed: restore a backup"
            )
            #expect(throws: error) { try SandboxStore(products: Shop.products, ledger: database.ledger) }
            #expect(throws: error) { try database.journal.open {} }
            #expect(throws: error) { try database.journal.forget([]) }
            #expect(throws: error) { try database.check() }
            database.close()
            #expect(log.lines.isEmpty)
            #expect(try folder.contents == before)
        }

        @Test(arguments: [
            // A product, of which there are four, and a purchase.
            (
                "UPDATE record SET payload = 'nonsense' WHERE position = 2",
                "2 of its ledger cannot be read, its checksum does not match"
            ),
            (
                "UPDATE record SET checksum = checksum + 1 WHERE position = 6",
                "6 of its ledger cannot be read, its checksum does not match"
            ),
            ("DELETE FROM record WHERE position = 5", "5 of its ledger is missing"),
        ])
        func `A record that is changed or missing is refused with a sentence, and nothing is changed`(
            sql: String,
            part: String
        ) throws {
            try spoil(sql)
            try refuses("record \(part)") { _ = try SandboxStore(ledger: $0.ledger) }
        }

        @Test func `A command that is changed is refused with a sentence, and nothing is changed`() throws {
            try spoil("UPDATE command SET payload = '{}' WHERE sequence = 1")
            try refuses("command 1 of its journal cannot be read, its checksum does not match") {
                _ = try $0.journal.open {}
            }
        }

        @Test func `A queue on a damaged journal refuses payments, and leaves the file as it is`() throws {
            try spoil("UPDATE command SET payload = '{}' WHERE sequence = 1")
            let before = try folder.contents
            let database = try folder.open()
            let store = try SandboxStore(ledger: database.ledger)
            let queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline, log: .silent)
            let shopper = Shopper()
            queue.add(shopper)
            queue.add(SKPayment(productIdentifier: "sword"))
            #expect(shopper.history.filter { $0.hasPrefix("sword") }.last == "sword failed")
            database.close()
            #expect(try folder.contents == before)
        }

        @Test func `What an earlier version has set apart is passed over, and its numbers are not given again`() throws
        {
            try spoil(
                "UPDATE record SET checksum = 0, payload = NULL WHERE position IN (6, (SELECT max(position) FROM record))"
            )
            let store = try SandboxStore(ledger: folder.open(log: log.log).ledger)
            #expect(try store.transactions.map(\.productIdentifier) == ["sword"])
            try store.account.buy("sword")
            #expect(Int(try #require(try store.transactions.last?.id)) ?? 0 > 3)
            #expect(log.lines.isEmpty)
        }

        /// Puts something in the place of a payload, with the checksum that belongs to it.
        private func rewrite(_ table: String, _ key: String, under number: Int) throws {
            let data = Data("\u{0}what only a newer version can read".utf8)
            let hex = data.map { String(format: "%02x", $0) }.joined()
            try spoil(
                "UPDATE \(table) SET payload = x'\(hex)', checksum = \(StoredPayload(data, under: number).checksum) WHERE \(key)"
            )
        }

        @Test func `A record of a newer version is no damage: the file is refused and not touched`() throws {
            try rewrite("record", "position = 6", under: 6)
            let before = try folder.contents
            let database = try folder.open(log: log.log)
            let error = try #require(throws: SQLiteDatabaseError.self) { try SandboxStore(ledger: database.ledger) }
            #expect(error.code == .newer)
            #expect(error.description == "store.sqlite was written by a newer version: see record 6 of its ledger")
            // Nor is anything else done to it from then on.
            #expect(throws: error) { try database.journal.open {} }
            #expect(throws: error) { try database.journal.forget([]) }
            database.close()
            #expect(log.lines.isEmpty)
            #expect(try folder.contents == before)
        }

        @Test func `A command of a newer version is no damage: the file is refused and not touched`() throws {
            try rewrite("command", "sequence = 1", under: 4)
            let before = try folder.contents
            let database = try folder.open(log: log.log)
            let error = try #require(throws: SQLiteDatabaseError.self) { try database.journal.open {} }
            #expect(error.code == .newer)
            database.close()
            #expect(try folder.contents == before)
        }

        /// Lets the log of a snapshot that cannot be read do something with the database.
        private func read(fileSystem: String? = nil, log body: @escaping @Sendable (SQLiteDatabase) -> Void) throws {
            try spoil("INSERT INTO snapshot VALUES (1, 0, '')")
            let database = Locked<SQLiteDatabase?>(nil)
            let log = StoreLog { _ in database.withLock { $0 }.map(body) }
            let opened = try folder.open(log: log, fileSystem: fileSystem)
            database.withLock { $0 = opened }
            let ledger = try #require(opened.ledger as? any DurableLedger)
            #expect(try ledger.snapshot() == nil)
            database.withLock { $0 = nil }
        }

        @Test func `What hears of damage may ask the database about it`() throws {
            let flaws = Locked<[String]?>(nil)
            try read { database in flaws.withLock { $0 = try? database.check() } }
            #expect(flaws.withLock { $0 } == [])
        }

        @Test func `The file is free when closing it returns, even to whoever still reads`() throws {
            let system = FaultFileSystem()
            let openFiles = Locked<Int?>(nil)
            // Called by the thread that reads, before the reading returns.
            try read(fileSystem: system.name) { database in
                database.close()
                openFiles.withLock { $0 = system.openFiles }
            }
            #expect(openFiles.withLock { $0 } == 0)
        }
    }
#endif
