#if canImport(CSQLite)
    import Foundation
    import StoreCore
    import StoreSQLite
    import Testing

    /// Pages of the file that SQLite itself calls corrupt.
    @Suite(.sqlite) struct PageDamageTests {
        private let folder: Folder

        /// 200 swords, of which the first 100 are finished, and 200 commands on their way.
        init() throws {
            folder = try Folder()
            let database = try folder.open(durability: .normal)
            let shop = try Shop(database)
            for number in 1...200 {
                shop.buy("sword")
                if number <= 100 { shop.queue.finishTransaction(try #require(shop.queue.transactions.first)) }
            }
            shop.store.isReachable = false
            for _ in 1...200 { shop.buy("season") }
            database.close()
        }

        /// Opens everything, and shows that it is whole, or that the file is refused and left as it is.
        ///
        /// - Returns: the sentence of the refusal; nil for none.
        private func refusal(of folder: Folder, _ page: Int) throws -> String? {
            let before = try folder.contents
            var refusal: String?
            do {
                let database = try folder.open(durability: .normal)
                let transactions = try SandboxStore(ledger: database.ledger).transactions
                #expect(transactions.compactMap { Int($0.id) } == Array(1...200), "page \(page)")
                #expect(try database.journal.open {}.commands.count == 200, "page \(page)")
            } catch let error as SQLiteDatabaseError {
                #expect([.damaged, .foreign].contains(error.code), "page \(page): \(error)")
                refusal = error.description
            }
            #expect(try folder.contents == before, "page \(page)")
            return refusal
        }

        @Test func `Whichever page is damaged, the file is refused with a sentence, or everything is served`() throws {
            let pages = try PageFile(folder)
            var refused: [Int: String] = [:]
            for page in 1...pages.count {
                let copy = try folder.copy()
                try PageFile(copy).spoil(page)
                refused[page] = try refusal(of: copy, page)
            }
            let needed =
                try ["record", "command"].flatMap { try [pages.root(of: $0)] + pages.leaves(of: $0) }
                + ["sqlite_autoindex_command_1", "migration"].map { try pages.root(of: $0) }
            #expect(needed.count > 8)
            for page in needed {
                #expect(
                    refused[page]?.contains("is damaged: a page of it is corrupt, SQLite says") == true,
                    "page \(page)"
                )
            }
            // The header says whose file it is.
            #expect(refused[1] == "store.sqlite is not a database")
        }

        @Test(arguments: [
            (
                "UPDATE record SET payload = 'nonsense' WHERE position = 3",
                "3 of its ledger differs from its second copy"
            ),
            // A sale, of which there is no second copy.
            ("UPDATE record SET payload = 'nonsense' WHERE position = 7", "7 of its ledger cannot be read"),
            ("UPDATE record SET payload = NULL WHERE position = 7", "7 of its ledger cannot be read"),
            ("DELETE FROM record WHERE position = 8", "8 of its ledger is missing"),
            ("UPDATE record SET position = 9223372036854775807 WHERE position = 8", "8 of its ledger is missing"),
        ])
        func `A damaged file of an earlier version is refused before its format is changed`(
            sql: String,
            sentence: String
        ) throws {
            let folder = try Folder()
            let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../Golden/forms-1.sqlite"
            )
            try FileManager.default.copyItem(at: golden, to: folder.file)
            try RawDatabase(folder.file).run(sql)
            let before = try folder.contents
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .damaged)
            #expect(error.description.contains("record \(sentence)"))
            #expect(try folder.contents == before)
        }

        @Test func `A damaged file of the last version is refused before its format is changed`() throws {
            let folder = try Folder()
            let database = try folder.open()
            try Shop(database).buy("sword")
            database.close()
            try RawDatabase(folder.file).run(
                """
                PRAGMA journal_mode = DELETE; DELETE FROM migration WHERE number > 7; PRAGMA user_version = 7;
                UPDATE record SET payload = 'nonsense' WHERE position = 2
                """
            )
            let before = try folder.contents
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .damaged && error.description.contains("record 2 of its ledger cannot be read"))
            #expect(try folder.contents == before)
        }
    }
#endif
