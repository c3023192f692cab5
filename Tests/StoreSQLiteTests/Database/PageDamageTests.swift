#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import Testing

    /// Pages of the file that SQLite itself calls corrupt.
    @Suite(.sqlite) struct PageDamageTests {
        private let folder: Folder
        private let log = LogRecorder()

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

        /// Everything that a store says of its swords, each once.
        private func swords(in store: SandboxStore) throws -> [Int] {
            let transactions = try store.transactions.filter { $0.productIdentifier == "sword" }
            #expect(Set(transactions.map(\.id)).count == transactions.count)
            return transactions.compactMap { Int($0.id) }
        }

        /// Buys something, and shows that it is there at the next launch, and that nothing is reported again.
        private func sellsOn(_ database: SQLiteDatabase, _ store: SandboxStore) throws {
            let (lines, damage) = (log.lines, try database.damage())
            try store.account.buy("sword")
            let all = try store.transactions
            #expect(Set(all.map(\.id)).count == all.count)
            database.close()
            let next = try folder.open(log: log.log)
            #expect(try SandboxStore(ledger: next.ledger).transactions == all)
            #expect(try next.damage() == damage)
            #expect(log.lines == lines)
            next.close()
        }

        @Test func `A page of the ledger that is damaged takes its own records with it, and no others`() throws {
            let pages = try PageFile(folder)
            let leaves = try pages.leaves(of: "record")
            #expect(leaves.count > 3)
            try pages.spoil(leaves[leaves.count / 2])
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            let damage = try database.damage()
            #expect(damage.allSatisfy { $0.place == .ledger && $0.reason == "the page that it was on is damaged" })
            let lost = try #require(damage.first).number...(try #require(damage.last).number)
            #expect(damage.map(\.number) == Array(lost))
            #expect(log.lines.count == 1)
            #expect(log.lines.first?.contains("records \(lost.lowerBound) to \(lost.upperBound) of the ledger") == true)
            // Whatever is not among them is there; some of those lost were finishes.
            let found = try swords(in: store)
            #expect(found.count < 200 && found.count >= 200 - lost.count)
            try sellsOn(database, store)
        }

        @Test func `Where the ledger's last page is damaged, what comes goes behind what there may have been`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try #require(try pages.leaves(of: "record").last))
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            let damage = try database.damage()
            #expect(damage.count == 1)
            #expect(damage.first?.reason.contains("with those behind it") == true)
            let found = try swords(in: store)
            #expect(found == Array(1...found.count))
            #expect(found.count > 100)
            try sellsOn(database, store)
        }

        @Test func `Where the ledger's first page is damaged, products are there, and the store sells on`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try pages.root(of: "record"))
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            #expect(store.sells("gold") == true)
            #expect(try store.transactions.isEmpty)
            try sellsOn(database, store)
        }

        @Test func `Where second copies are damaged too, whether others counted on what is lost is not known`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try #require(try pages.leaves(of: "record").first))
            try pages.spoil(try pages.root(of: "spare"))
            let database = try folder.open(log: log.log)
            let error = try #require(throws: SQLiteDatabaseError.self) { try SandboxStore(ledger: database.ledger) }
            #expect(error.code == .damaged)
        }

        @Test func `Second copies that are damaged are no harm while nobody wants them`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try pages.root(of: "spare"))
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            #expect(try swords(in: store) == Array(1...200))
            try store.account.buy("sword")
            #expect(log.lines.isEmpty)
        }

        @Test func `Second copies that are damaged are made anew when there is another one`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try pages.root(of: "spare"))
            let database = try folder.open(log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            try store.register(.consumable("axe", price: "0.49"))
            try store.account.buy("gold")
            #expect(log.lines.count == 1)
            #expect(log.lines.first?.contains("second copies") == true)
            let transactions = try store.transactions
            database.close()
            let next = try folder.open(log: log.log)
            #expect(try SandboxStore(ledger: next.ledger).transactions == transactions)
            #expect(log.lines.count == 1)
            next.close()
            // Now they are wanted.
            let records = try PageFile(folder)
            try records.spoil(try records.root(of: "record"))
            let last = try folder.open()
            let rest = try SandboxStore(ledger: last.ledger)
            #expect(["sword", "gold", "axe"].map { rest.sells($0) } == [true, true, true])
            #expect(rest.account.subscriptions.count == 1)
            try rest.register(.consumable("bow", price: "0.49"))
        }

        /// What is spoiled of a journal.
        enum Part: CaseIterable { case page, firstPage, index, both }

        @Test(arguments: Part.allCases)
        func `What of a journal is not on the damaged page is sent, and the journal goes on`(part: Part) throws {
            let pages = try PageFile(folder)
            let leaves = try pages.leaves(of: "command")
            #expect(leaves.count > 3)
            let index = try pages.root(of: "sqlite_autoindex_command_1")
            switch part {
            case .page: try pages.spoil(leaves[1])
            case .firstPage: try pages.spoil(try pages.root(of: "command"))
            case .index: try pages.spoil(index)
            case .both:
                try pages.spoil(leaves[1])
                try pages.spoil(index)
            }
            let database = try folder.open(log: log.log)
            let journal = try database.journal.open {}
            let damage = try database.damage()
            #expect(damage.allSatisfy { $0.place == .journal })
            switch part {
            case .page:
                #expect(journal.commands.count > 100)
                #expect(journal.commands.count + damage.count == 200)
            case .firstPage:
                #expect(journal.commands.isEmpty)
                #expect(damage.count == 200)
            case .index:
                #expect(journal.commands.count == 200)
                #expect(damage.isEmpty)
            case .both:
                #expect(journal.commands.count > 100)
                #expect(damage.map(\.reason).last?.contains("is not known") == true)
            }
            #expect(log.lines.count == 1)
            let order = OrderID(journal: journal.id, number: 1)
            let command = StoreCommand(id: order, action: .finish(transaction: "1"))
            try database.journal.record([command])
            try database.journal.forget(journal.commands.map(\.id))
            database.close()
            let next = try folder.open(log: log.log)
            #expect(try next.journal.open {}.commands == [command])
            #expect(log.lines.count == 1)
        }

        @Test func `A disk that cannot be written does not keep what is on sound pages from being served`() throws {
            let pages = try PageFile(folder)
            try pages.spoil(try pages.leaves(of: "record")[1])
            try pages.spoil(try pages.leaves(of: "command")[1])
            let system = FaultFileSystem()
            let database = try folder.open(log: log.log, fileSystem: system.name)
            system.plan(.fail(SQLITE_FULL), isLasting: true)
            let store = try SandboxStore(ledger: database.ledger)
            let found = try swords(in: store)
            #expect(found.count > 100)
            #expect(try database.journal.open {}.commands.count > 100)
            system.repair()
            #expect(try database.damage().isEmpty)
            #expect(try swords(in: SandboxStore(ledger: database.ledger)) == found)
            #expect(try database.damage().isEmpty == false)
        }

        @Test func `Whichever page is damaged, the file is refused with a sentence, or what is sound is served`() throws
        {
            let pages = try PageFile(folder)
            var refused: [Int: String] = [:]
            for page in 1...pages.count {
                let copy = try folder.copy()
                try PageFile(copy).spoil(page)
                do {
                    let database = try copy.open(durability: .normal)
                    let store = try SandboxStore(ledger: database.ledger)
                    let found = try swords(in: store)
                    #expect(found == found.sorted() && found.allSatisfy { $0 <= 200 }, "page \(page)")
                    try store.account.buy("sword")
                    try store.register(.consumable("axe", price: "0.49"))
                    try store.account.buy("gold")
                } catch let error as SQLiteDatabaseError {
                    #expect([.damaged, .foreign].contains(error.code), "page \(page): \(error)")
                    refused[page] = error.description
                }
            }
            // What says where everything else is, and which format it has.
            #expect(Set(refused.keys) == [1, try pages.root(of: "migration")], "\(refused)")
        }
    }
#endif
