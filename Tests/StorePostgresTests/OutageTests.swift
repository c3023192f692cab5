#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// On clusters of their own, which stop and start.
    @Suite(
        "Outages of servers that each test makes and stops, which takes seconds",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct OutageTests {
        @Test(arguments: [false, true])
        func `A server that stops is waited for, and nothing is lost`(isCrash: Bool) throws {
            let place = TestDatabase(try PostgresCluster())
            let database = try place.open { $0.patience = 60 }
            let ledger = try database.ledger("shop")
            let records = try Shop.records(2)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            try place.cluster.stop(immediately: isCrash)
            place.log.once("the database is away") {
                Thread { #expect(throws: Never.self) { try place.cluster.start() } }.start()
            }
            #expect(try ledger.append([records[1]], ifHeadIs: 1))
            #expect(try ledger.read(after: 0, limit: 10) == records)
        }

        @Test func `Without patience calls fail at once, with a sentence, until the server is back`() throws {
            let place = TestDatabase(try PostgresCluster())
            let ledger = try place.open { $0.patience = 0 }.ledger("shop")
            // Once each: behind a second failed attempt to connect there is a pause.
            for _ in 1...2 {
                try place.cluster.stop()
                let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
                #expect(error?.code == .unreachable)
                try place.cluster.start()
                #expect(try ledger.head == 0)
            }
            try place.cluster.stop()
            for _ in 1...3 {
                let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
                #expect(error?.code == .unreachable)
            }
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open().ledger("shop") }
            #expect(error?.code == .unreachable)
            #expect(error?.description.contains("failed") == true)
        }

        @Test func `A synchronous standby that is promoted has all that was acknowledged`() throws {
            let primary = try PostgresCluster(settings: ["synchronous_standby_names": "second"])
            let standby = try primary.makeStandby(name: "second")
            let place = TestDatabase(primary)
            let both =
                "host=\(primary.folder.path),\(standby.folder.path) dbname=postgres user=storecore target_session_attrs=read-write"
            let ledger = try place.open(both) { $0.patience = 60 }.ledger("shop")
            let records = try Shop.records(20)
            for position in 0..<20 {
                if position == 10 {
                    try primary.stop(immediately: true)
                    place.log.once("the database is away") { #expect(throws: Never.self) { try standby.promote() } }
                }
                #expect(try ledger.append([records[position]], ifHeadIs: position))
            }
            let survivors = TestDatabase(standby, schema: place.schema)
            #expect(try survivors.open().ledger("shop").read(after: 0, limit: 100) == records)
        }

        @Test func `A commit that has reached no synchronous standby is not reported as made`() throws {
            let primary = try PostgresCluster(settings: ["synchronous_standby_names": "second"])
            let standby = try primary.makeStandby(name: "second")
            let place = TestDatabase(primary)
            let ledger = try place.open {
                $0.patience = 0
                $0.responseTime = 10
            }.ledger("shop")
            // As a commit whose wait an administrator has ended.
            try place.spoilFirstInsert(
                "PERFORM set_config('synchronous_commit', 'local', true); RAISE WARNING 'nobody waits for a standby'"
            )
            try standby.stop()
            let records = try Shop.records(1)
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.append(records, ifHeadIs: 0) }
            #expect(error?.code == .unreachable)
            // Nor is it shown by another connection, which is not opened before a standby has it.
            #expect(throws: PostgresDatabaseError.self) { try place.open { $0.responseTime = 0.5 } }
            try standby.start()
            #expect(try place.open { $0.responseTime = 60 }.ledger("shop").read(after: 0, limit: 10) == records)
        }

        @Test func `Listening begins at the standby once it is promoted`() throws {
            let primary = try PostgresCluster()
            let standby = try primary.makeStandby(name: "second")
            let place = TestDatabase(primary)
            let both = "host=\(primary.folder.path),\(standby.folder.path) dbname=postgres user=storecore"
            let there = try place.open(both) {
                $0.patience = 60
                $0.pollInterval = 3600
            }
            let shop = try WatchedShop(there, lane: .caller)
            try shop.store.account.buy("sword")
            shop.waitForSwords(1)
            // Not when the log tells of it: the store hears of the stop by itself, and may have told before.
            try primary.stop()
            try standby.promote()
            try shop.store.account.buy("sword")
            let survivors = TestDatabase(standby, schema: place.schema)
            let here = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: survivors.open().ledger("shop")
            )
            try here.account.buy("sword")
            shop.waitForSwords(3)
            #expect(try shop.store.account.charges.count == 3)
        }
    }
#endif
