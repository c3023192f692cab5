#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(
        "Lost connections, each noticed after ten seconds of silence",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct LostConnectionTests {
        private let place: TestDatabase
        private let proxy: WireProxy
        private let settings: String

        init() throws {
            place = try TestDatabase()
            proxy = try WireProxy(to: place.cluster.socketPath)
            settings = "host=127.0.0.1 port=\(proxy.port) dbname=postgres user=storecore"
        }

        /// Opens the database through the proxy.
        ///
        /// Each silence costs the time for a response, which a busy machine needs to accept a connection: without patience
        /// it is not tried again.
        private func open(patience: TimeInterval) throws -> PostgresDatabase {
            try place.open(settings) {
                $0.patience = patience
                $0.responseTime = 10
            }
        }

        @Test func `A commit whose answer was lost is found on the next connection, and not made twice`() throws {
            let ledger = try open(patience: 30).ledger("shop")
            let records = try Shop.records(5)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            for (start, count) in [(1, 1), (2, 3)] {
                place.log.once("the database is away") { [proxy] in proxy.mode = .passing }
                proxy.mode = .swallowingAnswers
                #expect(try ledger.append(Array(records[start..<start + count]), ifHeadIs: start))
            }
            #expect(try place.open().ledger("shop").read(after: 0, limit: 10) == records)
            #expect(place.log.lines.filter { $0.contains("the database is back") }.count == 2)
        }

        @Test func `A commit that never reached the server is made on the next connection`() throws {
            let ledger = try open(patience: 30).ledger("shop")
            let records = try Shop.records(2)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            place.log.once("the database is away") { [proxy] in proxy.mode = .passing }
            proxy.mode = .silent
            #expect(try ledger.append([records[1]], ifHeadIs: 1))
            #expect(try place.open().ledger("shop").read(after: 0, limit: 10) == records)
        }

        @Test func `A commit that another process was faster than meanwhile is refused`() throws {
            let ledger = try open(patience: 30).ledger("shop")
            let other = try place.open().ledger("shop")
            let records = try Shop.records(2)
            place.log.once("the database is away") { [proxy] in
                #expect(throws: Never.self) { try #require(try other.append([records[0]], ifHeadIs: 0)) }
                proxy.mode = .passing
            }
            proxy.mode = .silent
            #expect(try !ledger.append([records[1]], ifHeadIs: 0))
            #expect(try ledger.head == 1)
            #expect(try ledger.read(after: 0, limit: 10) == [records[0]])
        }

        @Test func `Without patience an append fails with a sentence, and what it did shows later as another's record`()
            throws
        {
            let ledger = try open(patience: 0).ledger("shop")
            let records = try Shop.records(2)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            proxy.mode = .swallowingAnswers
            let error = #expect(throws: PostgresDatabaseError.self) {
                try ledger.append([records[1]], ifHeadIs: 1)
            }
            #expect(error?.code == .unreachable)
            #expect(error?.description == "the database has not answered for 10.0 seconds")
            proxy.mode = .passing
            #expect(try ledger.head == 2)
            #expect(try !ledger.append([records[1]], ifHeadIs: 1))
            #expect(try ledger.read(after: 0, limit: 10) == records)
        }

        @Test func `A command whose recording was not answered is in doubt, and is recorded once when it comes again`()
            throws
        {
            let journal = try open(patience: 0).journal("till")
            let id = OrderID(journal: try journal.open {}.id, number: 1)
            let command = StoreCommand(id: id, action: .purchase(StorePayment(productIdentifier: "sword")))
            // Not before: the journal may be looking whether it was superseded.
            proxy.change(to: .swallowingAnswers, atRequestWith: "sword")
            #expect(throws: JournalInDoubtError.self) { try journal.record([command]) }
            proxy.mode = .passing
            try journal.record([command])
            #expect(try place.open().journal("till").open {}.commands == [command])
        }

        @Test func `A purchase whose commit was lost in both directions is charged once`() throws {
            let database = try open(patience: 0)
            let shop = try WatchedShop(database, lane: .caller)
            for (mode, count) in [(WireProxy.Mode.swallowingAnswers, 1), (.silent, 2)] {
                place.log.once("the database is away") { [proxy] in proxy.mode = .passing }
                proxy.mode = mode
                shop.queue.add(SKPayment(productIdentifier: "sword"))
                // The queue sends its commands again, after a pause.
                shop.waitForSwords(count)
            }
            #expect(try shop.store.account.charges.count == 2)
            #expect(try place.open().check("shop").isEmpty)
        }

        @Test func `A cut connection is made again for reading as for writing`() throws {
            let database = try open(patience: 30)
            let ledger = try database.ledger("shop")
            let records = try Shop.records(3)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            proxy.cut()
            #expect(try ledger.head == 1)
            proxy.cut()
            #expect(try ledger.append(Array(records[1...]), ifHeadIs: 1))
            proxy.cut()
            #expect(try database.stores() == ["shop"])
            #expect(database.statistics.connections == 4)
        }

        @Test func `A connection that cannot be told from a slow one is waited for as long as it may take`() throws {
            let ledger = try place.open(settings).ledger("shop")
            proxy.mode = .delaying(0.05)
            let records = try Shop.records(2)
            #expect(try ledger.append(records, ifHeadIs: 0))
            #expect(place.log.lines.isEmpty)
        }

        @Test func `A server that accepts a connection and keeps silent is given up`() throws {
            let database = try open(patience: 0)
            let ledger = try database.ledger("shop")
            proxy.mode = .silent
            for _ in 1...2 {
                let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
                #expect(error?.code == .unreachable)
            }
            let error = #expect(throws: PostgresDatabaseError.self) { try open(patience: 0) }
            #expect(error?.code == .unreachable)
        }

        @Test(arguments: 1...2)
        func `Each silent server before one that answers takes the time of one answer`(count: Int) throws {
            let silent = try (0..<count).map { _ in try WireProxy(to: place.cluster.socketPath) }
            for proxy in silent { proxy.mode = .silent }
            let ports = (silent + [proxy]).map { "\($0.port)" }.joined(separator: ",")
            let hosts = Array(repeating: "127.0.0.1", count: count + 1).joined(separator: ",")
            let start = ContinuousClock.now
            let database = try place.open("host=\(hosts) port=\(ports) dbname=postgres user=storecore") {
                $0.responseTime = 2
                $0.patience = 600
            }
            #expect(try database.stores().isEmpty)
            let seconds = start.duration(to: .now) / .seconds(1)
            // libpq counts whole seconds.
            #expect(seconds > Double(count))
        }

        @Test func `A server that has begun to read only is left for another`() throws {
            let database = try open(patience: 30)
            let ledger = try database.ledger("shop")
            // As the old server of two would refuse it, once.
            try place.spoilFirstInsert("RAISE EXCEPTION USING ERRCODE = '25006'")
            let records = try Shop.records(1)
            #expect(try ledger.append(records, ifHeadIs: 0))
            #expect(try ledger.read(after: 0, limit: 10) == records)
            #expect(database.statistics.connections == 2)
        }

        @Test func `Closing ends what waits for the database`() throws {
            let database = try open(patience: 600)
            let ledger = try database.ledger("shop")
            proxy.end()
            place.log.once("the database is away") { Thread { database.close() }.start() }
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
            #expect(error?.code == .closed)
            #expect(error?.description == "the database has been closed")
        }

        @Test func `Listening begins again on a connection of its own, and misses nothing`() throws {
            let shop = try WatchedShop(open(patience: 30))
            let here = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: place.open().ledger("shop")
            )
            for count in 1...5 {
                try here.account.buy("sword")
                shop.waitForSwords(count)
                proxy.cut()
            }
        }

        @Test func `Closing leaves no connection`() throws {
            var database: PostgresDatabase? = try open(patience: 0)
            var ledger = try database?.ledger("shop")
            let listener = Listener()
            ledger?.add(listener)
            database = nil
            #expect(try ledger?.head == 0)
            ledger = nil
            proxy.waitUntilUnused()
        }
    }

    private final class Listener: LedgerListener {
        func ledgerMayHaveGrown() {}
    }
#endif
