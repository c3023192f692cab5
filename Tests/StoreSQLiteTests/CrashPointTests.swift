#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import Testing

    /// Everything ends at the first write, wait, truncation or deletion, at the second, and so on to the last.
    @Suite(.sqlite) struct CrashPointTests {
        /// What ends.
        enum End: CaseIterable {
            /// The process, on a disk that keeps what was written.
            case process
            /// The machine: what was written and not waited for is gone.
            case power
            /// The machine, while the disk was at work: of that some sectors are gone and some kept.
            case tear
        }

        /// With something finished, and something not, and something in the journal.
        private static func prepared() throws -> Folder {
            let folder = try Folder()
            let database = try folder.open()
            let shop = try Shop(database)
            for product in ["full.game", "season"] { shop.buy(product) }
            shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
            database.close()
            return folder
        }

        /// Does something on a copy of a folder again and again, with the end at each of its acts in turn; then looks.
        ///
        /// `body` returns what has been told before the end, and `look` sees the next launch.
        private func everywhere(
            from start: Folder,
            _ end: End,
            _ durability: SQLiteDatabase.Durability = .full,
            _ body: (Folder, FaultFileSystem, SQLiteDatabase.Durability) throws -> [String],
            look: (_ told: [String], Shop) throws -> Void
        ) throws {
            for number in 1... {
                let folder = try start.copy()
                let system = FaultFileSystem()
                system.plan(.cut, at: number)
                let told = (try? body(folder, system, durability)) ?? []
                let isReached = system.isCut
                var generator = SplitMix64(seed: UInt64(number))
                switch end {
                case .process: break
                case .power: try system.losePower()
                case .tear: try system.losePower { Bool.random(using: &generator) }
                }
                let database = try folder.open()
                #expect(try database.check().isEmpty, "act \(number)")
                try look(told, try Shop(database))
                database.close()
                guard isReached else {
                    #expect(number > 1)
                    return
                }
            }
        }

        /// Lets an app do something, and notes what its observer is told before the end.
        private func run(
            _ folder: Folder,
            _ system: FaultFileSystem,
            _ durability: SQLiteDatabase.Durability,
            _ act: (Shop) throws -> Void
        ) throws -> [String] {
            let told = Locked<[String]>([])
            let shopper = Shopper(onUpdate: { transaction in
                if system.isCut { return }
                let line = "\(transaction.payment.productIdentifier) \(transaction.transactionState)"
                told.withLock { $0.append(line) }
            })
            // Opening is not what is looked at.
            system.repair()
            let database = try folder.open(durability: durability, fileSystem: system.name)
            defer { database.close() }
            let shop = try Shop(database, shopper: shopper)
            told.withLock { $0 = [] }
            try act(shop)
            return told.withLock { $0 }
        }

        @Test(arguments: End.allCases)
        func
            `B33, B34: Wherever a purchase ends, it is there once if it was told, and once or not at all if it was not`(
                end: End
            ) throws
        {
            let start = try Self.prepared()
            var plan = 0
            try everywhere(from: start, end) { folder, system, durability in
                plan += 1
                let number = plan
                return try run(folder, system, durability) { shop in
                    system.plan(.cut, at: number)
                    shop.buy("sword")
                }
            } look: { told, next in
                let swords = next.shopper.history.filter { $0 == "sword purchased" }.count
                #expect(swords == 1 || (swords == 0 && told.isEmpty))
                #expect(next.shopper.history.filter { $0 == "season purchased" }.count == 1)
                let made = try next.store.transactions.filter { $0.productIdentifier == "sword" }.count
                #expect(made == swords)
            }
        }

        @Test
        func `When the power goes without the disk having been waited for, the file is sound, and as it once was`()
            throws
        {
            var plan = 0
            try everywhere(from: try Self.prepared(), .power, .normal) { folder, system, durability in
                plan += 1
                let number = plan
                return try run(folder, system, durability) { shop in
                    system.plan(.cut, at: number)
                    for _ in 1...3 { shop.buy("sword") }
                }
            } look: { _, next in
                #expect(next.shopper.history.first == "season purchased")
                #expect(next.shopper.history.count <= 4)
            }
        }

        @Test(arguments: End.allCases)
        func `B33: Wherever a payment ends that the store cannot be asked for, it is there once if it was shown`(
            end: End
        ) throws {
            var plan = 0
            try everywhere(from: try Self.prepared(), end) { folder, system, durability in
                plan += 1
                let number = plan
                return try run(folder, system, durability) { shop in
                    shop.store.isReachable = false
                    system.plan(.cut, at: number)
                    shop.buy("sword")
                }
            } look: { told, next in
                let swords = next.shopper.history.filter { $0 == "sword purchased" }.count
                #expect(swords == 1 || (swords == 0 && told.isEmpty))
            }
        }

        @Test(arguments: End.allCases)
        func
            `B69, B71: Wherever a finish ends, the transaction comes again or never, and never if the app had heard so`(
                end: End
            ) throws
        {
            var plan = 0
            try everywhere(from: try Self.prepared(), end) { folder, system, durability in
                plan += 1
                let number = plan
                return try run(folder, system, durability) { shop in
                    system.plan(.cut, at: number)
                    shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
                } + (system.isCut ? [] : ["finished"])
            } look: { told, next in
                #expect(told.isEmpty || next.shopper.history.isEmpty)
                let season = try next.store.transactions.first { $0.productIdentifier == "season" }
                #expect(season?.isFinished == next.shopper.history.isEmpty)
            }
        }

        @Test(arguments: End.allCases)
        func `B38, B164: Wherever a restore ends, what it has brought comes again, and it can be asked for again`(
            end: End
        ) throws {
            var plan = 0
            try everywhere(from: try Self.prepared(), end) { folder, system, durability in
                plan += 1
                let number = plan
                return try run(folder, system, durability) { shop in
                    system.plan(.cut, at: number)
                    shop.queue.restoreCompletedTransactions()
                }
            } look: { told, next in
                let restored = next.shopper.history.filter { $0 == "full.game restored" }.count
                #expect(restored == 1 || told.isEmpty)
                next.queue.restoreCompletedTransactions()
                #expect(next.shopper.history.filter { $0 == "full.game restored" }.count == restored + 1)
            }
        }

        @Test(arguments: End.allCases)
        func `Wherever the making of a file ends, it can be made again`(end: End) throws {
            try everywhere(from: try Folder(), end) { folder, system, durability in
                let database = try folder.open(durability: durability, fileSystem: system.name)
                database.close()
                return []
            } look: { _, next in
                next.buy("sword")
                #expect(next.shopper.history == ["sword purchasing", "sword purchased"])
            }
        }

        @Test(arguments: End.allCases)
        func `Wherever a change of the format ends, it is made again, and everything is there`(end: End) throws {
            let old = try Self.prepared()
            try RawDatabase(old.file).run(
                """
                PRAGMA journal_mode = DELETE;
                DROP TABLE snapshot; DROP TABLE damaged;
                DELETE FROM migration WHERE number > 1; PRAGMA user_version = 1;
                """
            )
            try everywhere(from: old, end) { folder, system, durability in
                let database = try folder.open(durability: durability, fileSystem: system.name)
                database.close()
                return []
            } look: { _, next in
                #expect(next.shopper.history == ["season purchased"])
            }
        }

        @Test(arguments: [FaultFileSystem.Fault.fail(SQLITE_IOERR), .fail(SQLITE_FULL), .tear])
        func `B34: Whichever act of a purchase and a finish fails, both are made in the end, once`(
            fault: FaultFileSystem.Fault
        ) throws {
            let start = try Self.prepared()
            for number in 1... {
                let folder = try start.copy()
                let system = FaultFileSystem()
                let database = try folder.open(fileSystem: system.name)
                let time = ManualClock()
                let shop = try Shop(database, shopper: Shopper(finishes: true), clock: time)
                system.plan(fault, at: number)
                shop.buy("sword")
                let isReached = system.count >= number
                system.repair()
                time.advance(by: 600)
                #expect(shop.shopper.history.last == "sword removed", "act \(number)")
                database.close()
                let reopened = try folder.open()
                let next = try Shop(reopened)
                #expect(next.shopper.history.isEmpty, "act \(number)")
                let swords = try next.store.transactions.filter { $0.productIdentifier == "sword" }
                #expect(swords.map(\.isFinished) == [true], "act \(number)")
                reopened.close()
                guard isReached else { break }
            }
        }
    }
#endif
