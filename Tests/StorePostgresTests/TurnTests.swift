#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(
        "Turns of processes that stop, which is noticed after a second or more",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct TurnTests {
        private let place: TestDatabase
        private let (here, there): (PostgresDatabase, PostgresDatabase)

        /// Lets a turn take as long as a slow machine needs.
        private static func patiently(_ options: inout PostgresDatabase.Options) {
            (options.turnTime, options.turnPatience, options.responseTime) = (300, 300, 600)
        }

        init() throws {
            place = try TestDatabase()
            (here, there) = (try place.open { Self.patiently(&$0) }, try place.open { Self.patiently(&$0) })
        }

        /// Two stores on one ledger that take turns, since both have appended; database and clock are the second one's.
        private func contendedStores(
            there database: PostgresDatabase? = nil,
            clock: any StoreClock = SystemClock.shared
        ) throws -> (here: SandboxStore, there: SandboxStore, ledger: any TurnTakingLedger) {
            let ledger = try (database ?? there).ledger("shop", lane: .caller)
            let second = try SandboxStore(products: Shop.products, clock: clock, ledger: ledger)
            let first = try SandboxStore(clock: SystemClock.shared, ledger: here.ledger("shop", lane: .caller))
            try first.account.buy("sword")
            try second.account.buy("sword")
            #expect(try first.account.charges.count == 2)
            return (first, second, try #require(ledger as? any TurnTakingLedger))
        }

        @Test func `A store alone takes no turns`() throws {
            let ledger = try #require(here.ledger("shop") as? any TurnTakingLedger)
            let records = try Shop.records(2)
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            #expect(!ledger.beginTurn())
            // Whoever has a turn is the only one to use the connection.
            let other = try here.ledger("other")
            let isRead = DispatchSemaphore(value: 0)
            Thread {
                if (try? other.head) == 0 { isRead.signal() }
            }
            .start()
            isRead.wait()
        }

        @Test func `A turn brings what others have appended, and ends with the append`() throws {
            // Without a store nothing is read but by the turn.
            let ledgers = try [here, there].map { try #require($0.ledger("till") as? any TurnTakingLedger) }
            let records = try Shop.records(3)
            #expect(try ledgers[0].append([records[0]], ifHeadIs: 0))
            #expect(try ledgers[1].head == 1)
            #expect(try ledgers[0].append([records[1]], ifHeadIs: 1))
            #expect(ledgers[1].beginTurn())
            // In a turn all can be asked that can be asked without one.
            #expect(try ledgers[1].head == 2)
            #expect(try ledgers[1].read(after: 0, limit: 10) == Array(records[..<2]))
            #expect(try ledgers[1].append([records[2]], ifHeadIs: 2))
            #expect(try ledgers[0].head == 3)
            #expect(!ledgers[0].beginTurn())
            ledgers[0].endTurn()
            #expect([here, there].map(\.statistics.conflicts) == [0, 0])
            #expect([here, there].map(\.statistics.connections) == [1, 1])
        }

        @Test func `A store that has appended eight times in a row takes no turns`() throws {
            let ledgers = try [here, there].map { try #require($0.ledger("till") as? any TurnTakingLedger) }
            let records = try Shop.records(10)
            #expect(try ledgers[0].append([records[0]], ifHeadIs: 0))
            #expect(try ledgers[1].head == 1)
            for position in 1...8 { #expect(try ledgers[1].append([records[position]], ifHeadIs: position)) }
            #expect(try ledgers[0].head == 9)
            #expect(!ledgers[0].beginTurn())
            // It would wait here until the server had ended the other's.
            #expect(!ledgers[1].beginTurn())
            #expect(try ledgers[0].append([records[9]], ifHeadIs: 9))
            #expect(here.statistics.connections == 1)
        }

        @Test func `A process that stops in its turn does not stop the others`() throws {
            let there = try place.open {
                Self.patiently(&$0)
                $0.turnTime = 1
            }
            let (first, _, ledger) = try contendedStores(there: there)
            _ = ledger.beginTurn()
            let head = try ledger.head
            // The other store waits, and the server ends this connection.
            try first.account.buy("sword")
            #expect(try !ledger.append(Shop.records(1), ifHeadIs: head))
            #expect([here, there].map(\.statistics.connections) == [1, 2])
            #expect(try ledger.head == head + 1)
        }

        @Test func `An append whose turn does not come in time is made without one`() throws {
            let there = try place.open {
                Self.patiently(&$0)
                $0.turnPatience = 0.01
            }
            let (first, second, _) = try contendedStores(there: there)
            let ledger = try #require(here.ledger("shop") as? any TurnTakingLedger)
            #expect(try !ledger.append(Shop.records(1), ifHeadIs: 0))
            _ = ledger.beginTurn()
            let head = try ledger.head
            try second.account.buy("sword")
            #expect(try !ledger.append(Shop.records(1), ifHeadIs: head))
            #expect(try first.account.charges.count == 3)
            #expect([here, there].map(\.statistics.connections) == [1, 1])
        }

        @Test func `A change that comes to nothing ends its turn`() throws {
            let (first, second, _) = try contendedStores()
            #expect(throws: (any Error).self) { try second.refund("no such transaction") }
            try first.account.buy("sword")
            try second.account.buy("sword")
            #expect([here, there].map(\.statistics.connections) == [1, 1])
        }

        @Test func `A command that was taken before ends its turn`() throws {
            let (first, second, _) = try contendedStores()
            let command = StoreCommand(
                id: OrderID(journal: JournalID(rawValue: 7), number: 1),
                action: .purchase(StorePayment(productIdentifier: "sword"))
            )
            for _ in 1...2 { second.device.submit([command]) { _ in } }
            try first.account.buy("sword")
            #expect(try second.account.charges.count == 4)
            #expect([here, there].map(\.statistics.connections) == [1, 1])
        }

        @Test func `What is due of what a turn brings is renewed before anything else is decided`() throws {
            let (first, second, _) = try contendedStores(clock: ManualClock(startingAt: Date() + 40 * 86_400))
            try first.account.buy("gold")
            let command = StoreCommand(
                id: OrderID(journal: JournalID(rawValue: 7), number: 1),
                action: .purchase(StorePayment(productIdentifier: "sword"))
            )
            second.device.submit([command]) { _ in }
            #expect(try first.transactions.map(\.productIdentifier) == ["sword", "sword", "gold", "gold", "sword"])
        }

        @Test(arguments: [WireProxy.Mode.swallowingAnswers, .silent])
        func `An append in a turn whose connection is lost is made once`(mode: WireProxy.Mode) throws {
            let proxy = try WireProxy(to: place.cluster.socketPath)
            let far = try place.open("host=127.0.0.1 port=\(proxy.port) dbname=postgres user=storecore") {
                $0.patience = 30
                $0.responseTime = 10
            }
            let records = try Shop.records(2)
            let ledger = try #require(far.ledger("till") as? any TurnTakingLedger)
            #expect(try here.ledger("till").append([records[0]], ifHeadIs: 0))
            #expect(try ledger.head == 1)
            #expect(!ledger.beginTurn())
            place.log.once("the database is away") { proxy.mode = .passing }
            proxy.mode = mode
            #expect(try ledger.append([records[1]], ifHeadIs: 1))
            #expect(try here.ledger("till").read(after: 0, limit: 10) == records)
            #expect(far.statistics.connections == 2)
        }
    }
#endif
