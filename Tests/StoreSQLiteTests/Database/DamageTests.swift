#if canImport(CSQLite)
    import CSQLite
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

        @Test func `A purchase that cannot be read is set apart and reported, and the rest is served`() throws {
            // Four products come first.
            try spoil("UPDATE record SET payload = substr(payload, 1, 20) WHERE position = 6")
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(products: Shop.products, ledger: database.ledger)
            #expect(try store.transactions.map(\.productIdentifier) == ["sword", "full.game"])
            let damage = try database.damage()
            #expect(damage.map(\.place) == [.ledger])
            #expect(damage.map(\.number) == [6])
            #expect(damage.map(\.reason) == ["its checksum does not match"])
            #expect(log.lines.count == 1)
            #expect(log.lines.first?.contains("record 6 of the ledger") == true)
            let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
            let shopper = Shopper(finishes: true)
            queue.add(shopper)
            queue.add(SKPayment(productIdentifier: "season"))
            #expect(
                shopper.history.filter { $0.hasSuffix("removed") }.sorted() == [
                    "full.game removed", "season removed", "sword removed",
                ]
            )
            #expect(Set(try store.transactions.map(\.id)).count == 3)
            database.close()
            let next = try folder.open(log: log.log)
            #expect(try SandboxStore(ledger: next.ledger).transactions.allSatisfy(\.isFinished))
            #expect(try next.damage() == damage)
            #expect(log.lines.count == 1)
        }

        @Test func `What a lost record made is not made again under the same number`() throws {
            try spoil("UPDATE record SET checksum = checksum + 1 WHERE position = (SELECT max(position) FROM record)")
            let database = try folder.open()
            let store = try SandboxStore(ledger: database.ledger)
            try store.account.buy("sword")
            let numbers = try store.transactions.map(\.id)
            #expect(numbers.prefix(2) == ["1", "2"])
            #expect(Int(numbers[2]) ?? 0 > 3)
        }

        @Test func `A record that is missing is reported, and the rest is served`() throws {
            try spoil("DELETE FROM record WHERE position = 5")
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            #expect(try store.transactions.map(\.productIdentifier) == ["season", "full.game"])
            #expect(try database.damage().map(\.reason) == ["it is missing"])
        }

        @Test(arguments: 1...4) func `A product that cannot be read is read from its second copy`(number: Int) throws {
            try spoil("UPDATE record SET payload = 'nonsense' WHERE position = \(number)")
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            #expect(try store.transactions.map(\.productIdentifier) == ["sword", "season", "full.game"])
            #expect(store.sells("gold") == true)
            #expect(try database.damage().isEmpty)
            #expect(log.lines.isEmpty == false)
        }

        @Test func `A product whose copies both cannot be read stops the opening with a sentence`() throws {
            try spoil(
                "UPDATE record SET payload = '' WHERE position = 2; UPDATE spare SET payload = '' WHERE position = 2"
            )
            let database = try folder.open(log: log.log)
            let error = try #require(throws: SQLiteDatabaseError.self) { try SandboxStore(ledger: database.ledger) }
            #expect(error.code == .damaged)
            #expect(error.description.contains("record 2 of the ledger"))
        }

        @Test func `A command that cannot be read is set apart and reported, and the others are sent`() throws {
            try spoil("UPDATE command SET payload = '{}' WHERE sequence = 1")
            let database = try folder.open(log: log.log)
            #expect(try database.journal.open {}.commands.map(\.id.number) == [5])
            #expect(try database.damage().map(\.place) == [.journal])
            #expect(log.lines.count == 1)
            #expect(try database.journal.open {}.commands.count == 1)
            #expect(log.lines.count == 1)
        }

        @Test func `A disk that cannot be written does not keep the readable rest from being served`() throws {
            try spoil("UPDATE record SET payload = '' WHERE position = 5")
            let system = FaultFileSystem()
            let database = try folder.open(log: log.log, fileSystem: system.name)
            system.plan(.fail(SQLITE_FULL), isLasting: true)
            #expect(try SandboxStore(ledger: database.ledger).transactions.count == 2)
            system.repair()
            #expect(try database.damage().isEmpty)
            #expect(try SandboxStore(ledger: database.ledger).transactions.count == 2)
            #expect(try database.damage().count == 1)
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
            #expect(
                error.description == "store.sqlite was written by a newer version: see record 6 of its ledger"
            )
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

        @Test func `What hears of damage may ask the database about it`() throws {
            try spoil("UPDATE command SET payload = '{}' WHERE sequence = 1")
            let database = Locked<SQLiteDatabase?>(nil)
            let found = Locked<[DamagedRecord]>([])
            let log = StoreLog { _ in
                let damage = try? database.withLock { $0 }?.damage()
                found.withLock { $0 = damage ?? [] }
            }
            let opened = try folder.open(log: log)
            database.withLock { $0 = opened }
            _ = try opened.journal.open {}
            #expect(found.withLock { $0 }.map(\.place) == [.journal])
            database.withLock { $0 = nil }
        }

        @Test func `The file is free when closing it returns, even to whoever still reads`() throws {
            try spoil("UPDATE command SET payload = '{}' WHERE sequence = 1")
            let system = FaultFileSystem()
            let database = Locked<SQLiteDatabase?>(nil)
            let openFiles = Locked<Int?>(nil)
            // Called by the thread that reads, before the reading returns.
            let log = StoreLog { _ in
                database.withLock { $0 }?.close()
                openFiles.withLock { $0 = system.openFiles }
            }
            let opened = try folder.open(log: log, fileSystem: system.name)
            database.withLock { $0 = opened }
            #expect(try opened.journal.open {}.commands.count == 1)
            #expect(openFiles.withLock { $0 } == 0)
            database.withLock { $0 = nil }
        }
    }
#endif
