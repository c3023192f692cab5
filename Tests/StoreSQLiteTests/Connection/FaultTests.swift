#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import Testing

    @Suite(.sqlite) struct FaultTests {
        private let folder: Folder
        private let system = FaultFileSystem()

        init() throws { folder = try Folder() }

        @Test func `B34, B57: While the disk is full a payment fails, and a finish waits for room`() throws {
            let time = ManualClock()
            let shop = try Shop(try folder.open(fileSystem: system.name), clock: time)
            shop.buy("full.game")
            system.plan(.fail(SQLITE_FULL), of: [.write], isLasting: true)
            let error = try #require(throws: SQLiteDatabaseError.self) { try shop.store.setPaymentsAllowed(false) }
            #expect(error.code == .diskFull)
            #expect(error.description == "the disk with store.sqlite is full")
            #expect(shop.store.canMakePayments)
            shop.buy("sword")
            #expect(shop.shopper.history.suffix(2) == ["sword purchasing", "sword failed"])
            shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
            system.repair()
            time.advance(by: 60)
            shop.buy("season")
            #expect(shop.shopper.history.last == "season purchased")
            try shop.store.setPaymentsAllowed(false)
            let transactions = try shop.store.transactions
            #expect(transactions.map(\.productIdentifier) == ["full.game", "season"])
            #expect(transactions.map(\.isFinished) == [true, false])
        }

        @Test(arguments: FaultFileSystem.Act.allCases)
        func `A disk that fails once leaves the store as it was, and working`(act: FaultFileSystem.Act) throws {
            let shop = try Shop(try folder.open(fileSystem: system.name))
            system.plan(.fail(SQLITE_IOERR), of: [act])
            do {
                try shop.store.register(.consumable("axe", price: "1"))
                // Nothing of this kind was needed.
                #expect(act == .truncate || act == .delete)
            } catch {
                #expect((error as? SQLiteDatabaseError)?.code == .inputOutput)
                #expect(shop.store.sells("axe") == false)
            }
            system.repair()
            try shop.store.register(.consumable("axe", price: "1"))
            #expect(shop.store.sells("axe") == true)
            shop.buy("axe")
            #expect(shop.shopper.history == ["axe purchasing", "axe purchased"])
        }

        @Test(arguments: [(EROFS, SQLiteDatabaseError.Code.readOnly), (EDQUOT, .diskFull), (EIO, .inputOutput)])
        func `What the system said to SQLite when a write failed decides what is said of it`(
            system number: Int32,
            code: SQLiteDatabaseError.Code
        ) throws {
            let shop = try Shop(try folder.open(fileSystem: system.name))
            system.plan(.fail(SQLITE_IOERR | 3 << 8, system: number), of: [.write])
            let error = try #require(throws: SQLiteDatabaseError.self) { try shop.store.setPaymentsAllowed(false) }
            #expect(error.code == code, "\(error)")
            system.repair()
            try shop.store.setPaymentsAllowed(false)
        }

        @Test func `A journal on a full disk says so, and records when there is room again`() throws {
            let journal = try folder.open(fileSystem: system.name).journal
            let id = try journal.open {}.id
            let command = StoreCommand(id: OrderID(journal: id, number: 1), action: .finish(transaction: "1"))
            system.plan(.fail(SQLITE_FULL), of: [.write], isLasting: true)
            let error = try #require(throws: SQLiteDatabaseError.self) { try journal.record([command]) }
            #expect(error.code == .diskFull)
            #expect(try journal.open {}.commands.isEmpty)
            system.repair()
            try journal.record([command])
            #expect(try journal.open {}.commands == [command])
        }

        @Test func `A file that may only be read is refused, and opened when it may be written`() throws {
            try folder.open().close()
            system.isReadOnly = true
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open(fileSystem: system.name) }
            #expect(error.code == .readOnly)
            #expect(error.description == "store.sqlite may not be written")
            system.isReadOnly = false
            #expect(try folder.open(fileSystem: system.name).ledger.head == 0)
        }

        @Test(arguments: [EACCES, EROFS])
        func `A folder in which nothing may be made is named, and the file opened when it may be`(reason: Int32) throws
        {
            try folder.open().close()
            system.folderRefusal = reason
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open(fileSystem: system.name) }
            #expect(error.code == .readOnly)
            #expect(error.description == "the folder of store.sqlite may not be written")
            system.folderRefusal = nil
            #expect(try folder.open(fileSystem: system.name).ledger.head == 0)
        }

        @Test func `A purchase waits for the disk once, and a finish once`() throws {
            let shop = try Shop(try folder.open(fileSystem: system.name))
            shop.buy("sword")
            let before = system.syncs
            shop.buy("sword")
            #expect(system.syncs == before + 1)
            shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
            #expect(system.syncs == before + 2)
        }

        @Test func `What is sent together waits for the disk once`() throws {
            let store = try SandboxStore(products: Shop.products, ledger: folder.open(fileSystem: system.name).ledger)
            let commands = (1...64).map { number in
                StoreCommand(
                    id: OrderID(journal: JournalID(rawValue: 1), number: number),
                    action: .purchase(StorePayment(productIdentifier: "sword"))
                )
            }
            let before = system.syncs
            store.submit(commands) { #expect($0 == .taken) }
            #expect(system.syncs == before + 1)
            #expect(try store.transactions.count == 64)
        }

        @Test func `Without waiting for the disk a purchase costs no wait`() throws {
            let database = try SQLiteDatabase(
                at: folder.file,
                durability: .normal,
                patience: 0,
                lane: .caller,
                log: .silent,
                fileSystem: system.name
            )
            let shop = try Shop(database)
            shop.buy("sword")
            let before = system.syncs
            shop.buy("sword")
            #expect(system.syncs == before)
        }
    }
#endif
