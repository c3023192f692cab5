#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct FormatTests {
        private let place: TestDatabase

        init() throws { place = try TestDatabase() }

        private func refusal(_ settings: String? = nil) -> PostgresDatabaseError? {
            #expect(throws: PostgresDatabaseError.self) { try place.open(settings) }
        }

        @Test func `Processes that open a new database at once make its tables once`() throws {
            let opened = Locked(0)
            let group = DispatchGroup()
            for _ in 0..<8 {
                group.enter()
                Thread { [place] in
                    let database = try? place.open()
                    if (try? database?.ledger("shop").head) == 0 { opened.withLock { $0 += 1 } }
                    group.leave()
                }.start()
            }
            group.wait()
            #expect(opened.withLock { $0 } == 8)
            #expect(
                try place.run("SELECT number FROM {schema}.migration ORDER BY number") == [["1"], ["2"], ["3"], ["4"]]
            )
        }

        @Test func `A role that may read and append is enough`() throws {
            try place.open().close()
            let role = "\(place.schema)_role"
            try place.run("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA {schema} TO \(role)")
            try place.run("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA {schema} TO \(role)")
            let database = try place.open("\(place.cluster.settings) user=\(role)") { $0.snapshotDistance = 8 }
            let store = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: database.ledger("shop", lane: .caller)
            )
            let shopper = Shopper()
            let queue = SKPaymentQueue(backend: store, journal: try database.journal("till"), delivery: .inline)
            queue.add(shopper)
            for _ in 1...20 { queue.add(SKPayment(productIdentifier: "sword")) }
            shopper.wait(for: "sword removed", times: 20)
            #expect(database.statistics.snapshots > 1)
            let journal = try database.journal("other")
            let command = try Self.command(in: journal)
            try journal.record([command])
            #expect(try journal.open {}.commands == [command])
            try journal.forget([command.id])
            #expect(try journal.open {}.commands.isEmpty)
            #expect(place.log.lines.isEmpty)
            // A role that may delete tidies up.
            #expect(try place.run("SELECT count(*) FROM {schema}.command") == [["1"]])
            #expect(try place.open().journal("other").open {}.commands.isEmpty)
            #expect(try place.run("SELECT count(*) FROM {schema}.command") == [["0"]])
        }

        @Test(arguments: ["snapshot, {schema}.command, {schema}.forgotten", "snapshot, {schema}.opening"])
        func `A role that may remove only some of what is obsolete leaves it`(tables: String) throws {
            try place.open().close()
            let role = "\(place.schema)_role"
            try place.run("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA {schema} TO \(role)")
            try place.run("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA {schema} TO \(role)")
            try place.run("GRANT DELETE ON {schema}.\(tables) TO \(role)")
            let journal = try place.open("\(place.cluster.settings) user=\(role)").journal("till")
            let command = try Self.command(in: journal)
            try journal.record([command])
            try journal.forget([command.id])
            #expect(try journal.open {}.commands.isEmpty)
        }

        static func command(in journal: any QueueJournal) throws -> StoreCommand {
            let id = OrderID(journal: try journal.open {}.id, number: 1)
            return StoreCommand(id: id, action: .restore(applicationUsername: "üser"))
        }

        @Test func `A role that may not create tables is told what to do`() throws {
            let role = "\(place.schema)_role"
            try place.run("CREATE ROLE \(role) LOGIN")
            let error = refusal("\(place.cluster.settings) user=\(role)")
            #expect(error?.code == .missingTables)
            #expect(error?.description.contains("open the database once as a role that may") == true)
        }

        @Test func `A role that may not read the tables is refused with a sentence`() throws {
            try place.open().close()
            let role = "\(place.schema)_role"
            try place.run("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA {schema} TO \(role)")
            #expect(refusal("\(place.cluster.settings) user=\(role)")?.code == .permission)
        }

        @Test func `Newer tables are refused`() throws {
            try place.open().close()
            try place.run("INSERT INTO {schema}.migration VALUES (5, 'records of tomorrow')")
            let error = refusal()
            #expect(error?.code == .newer)
            #expect(error?.description.contains("format 5, known here are 1 to 4") == true)
        }

        @Test func `Tables that have changed in another way are refused`() throws {
            try place.open().close()
            try place.run("UPDATE {schema}.migration SET name = 'something else'")
            #expect(refusal()?.code == .foreign)
        }

        @Test func `A schema with tables of others is refused, and left as it is`() throws {
            try place.run("CREATE SCHEMA {schema}; CREATE TABLE {schema}.orders (id integer)")
            let error = refusal()
            #expect(error?.code == .foreign)
            let tables = "SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace"
            #expect(try place.run(tables) == [["orders"]])
        }

        @Test func `A table of others with the name of StoreCore's is refused, and left as it is`() throws {
            try place.run("CREATE SCHEMA {schema}; CREATE TABLE {schema}.migration (number integer, checksum text)")
            let error = refusal()
            #expect(error?.code == .foreign)
            #expect(error?.description.contains("has tables that are not StoreCore's: name another one") == true)
            let tables = "SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace"
            #expect(try place.run(tables) == [["migration"]])
        }

        @Test func `Tables that vanish while a database is open are missed with a sentence`() throws {
            let ledger = try place.open().ledger("shop")
            try place.run("DROP SCHEMA {schema} CASCADE")
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
            #expect(error?.code == .missingTables)
        }
    }
#endif
