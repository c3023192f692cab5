#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// An asynchronous standby that is promoted, and lacks what was committed last.
    @Suite(
        "Failover between two servers that each test makes, which takes seconds",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct FailoverTests {
        private let primary: PostgresCluster
        private let standby: PostgresCluster
        private let place: TestDatabase
        private let database: PostgresDatabase

        init() throws {
            primary = try PostgresCluster(settings: ["synchronous_standby_names": "second"])
            standby = try primary.makeStandby(name: "second")
            place = TestDatabase(primary)
            let both =
                "host=\(primary.folder.path),\(standby.folder.path) dbname=postgres user=storecore target_session_attrs=read-write"
            database = try place.open(both) { $0.patience = 60 }
        }

        /// Stops the standby, which has everything until now and nothing that comes.
        private func leaveStandbyBehind() throws {
            try standby.stop()
            try place.run("ALTER SYSTEM SET synchronous_standby_names = ''")
            try place.run("SELECT pg_reload_conf()")
        }

        private func failOver() throws {
            try primary.stop(immediately: true)
            try standby.start()
            try standby.promote()
        }

        @Test func `Lost records are noticed, and everything of the store is refused until it is opened again`() throws
        {
            let ledger = try database.ledger("shop")
            let records = try Shop.records(3)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            try leaveStandbyBehind()
            #expect(try ledger.append([records[1]], ifHeadIs: 1))
            try failOver()
            for _ in 1...2 {
                let error = #expect(throws: PostgresDatabaseError.self) { try ledger.append([records[2]], ifHeadIs: 2) }
                #expect(error?.code == .recordsLost)
                #expect(error?.description.contains("record 2 of the store shop") == true)
                #expect(throws: PostgresDatabaseError.self) { try ledger.head }
            }
            let lines = place.log.lines.filter { $0.contains("the database has lost record 2 of the store shop") }
            #expect(lines.count == 1)
            let again = try database.ledger("shop")
            #expect(try again.head == 1)
            #expect(try again.append([records[1]], ifHeadIs: 1))
        }

        @Test(arguments: [false, true])
        func `A journal whose opening is lost says so, and not that another queue has opened it`(
            wasOpenedBefore: Bool
        ) throws {
            let silenced = Counter()
            let journal = try database.journal("till")
            if wasOpenedBefore { _ = try journal.open {} }
            try leaveStandbyBehind()
            let id = try journal.open { silenced.ledgerMayHaveGrown() }.id
            try failOver()
            let payment = StorePayment(productIdentifier: "sword")
            let command = StoreCommand(id: OrderID(journal: id, number: 1), action: .purchase(payment))
            for _ in 1...2 {
                let error = #expect(throws: PostgresDatabaseError.self) { try journal.record([command]) }
                #expect(error?.code == .recordsLost)
                #expect(error?.description.contains("the opening of the journal till") == true)
            }
            #expect(silenced.count == 0)
            let new = try journal.open {}.id
            try journal.record([StoreCommand(id: OrderID(journal: new, number: 1), action: command.action)])
        }
    }
#endif
