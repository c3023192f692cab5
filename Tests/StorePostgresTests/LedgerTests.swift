#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct LedgerTests {
        @Test func `Records are read back in any pieces, by the process that wrote them and by another`() throws {
            let place = try TestDatabase()
            let (first, second) = (try place.open().ledger("shop"), try place.open().ledger("shop"))
            let records = try Shop.records(700)
            var head = 0
            for count in [1, 10, 256, 300, 133] {
                #expect(try first.append(Array(records[head..<head + count]), ifHeadIs: head))
                try first.commit()
                head += count
                for ledger in [first, second] {
                    #expect(try ledger.head == head)
                    for after in [0, head / 2, head - 1, head] {
                        for limit in [1, 7, 1000] {
                            let read = try ledger.read(after: after, limit: limit)
                            #expect(read == Array(records[after..<min(head, after + limit)]))
                        }
                    }
                }
            }
            #expect(try place.open().check("shop").isEmpty)
        }

        @Test func `A second record at one position is refused by the database, one or many at a time`() throws {
            let place = try TestDatabase()
            let records = try Shop.records(6)
            let (first, second) = (try place.open().ledger("shop"), try place.open().ledger("shop"))
            #expect(try first.append(Array(records[0..<2]), ifHeadIs: 0))
            #expect(try !second.append([records[0]], ifHeadIs: 0))
            #expect(try !second.append(Array(records[0..<5]), ifHeadIs: 0))
            #expect(try !second.append(Array(records[1..<5]), ifHeadIs: 1))
            #expect(try second.head == 2)
            #expect(try second.append(Array(records[2..<6]), ifHeadIs: 2))
            #expect(try first.head == 6)
            #expect(try first.read(after: 0, limit: 10) == records)
            #expect(try place.run("SELECT count(*), max(position) FROM {schema}.record") == [["6", "6"]])
        }

        @Test func `Records are appended behind the last one only`() throws {
            let place = try TestDatabase()
            let ledger = try place.open().ledger("shop")
            let records = try Shop.records(3)
            #expect(try !ledger.append(records, ifHeadIs: 1))
            #expect(try ledger.append([records[0]], ifHeadIs: 0))
            #expect(try !ledger.append([records[1]], ifHeadIs: 2))
            #expect(try place.open().ledger("shop").read(after: 0, limit: 10) == [records[0]])
        }

        @Test func `Stores on one ledger sell at once, and charge every order once`() throws {
            let place = try TestDatabase()
            let ledger = try place.open().ledger("shop", lane: .caller)
            let shops = try (0..<4).map { _ in
                try SandboxStore(products: Shop.products, clock: SystemClock.shared, ledger: ledger)
            }
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                for _ in 0..<25 { #expect(throws: Never.self) { try shops[index].account.buy("sword") } }
            }
            for shop in shops { #expect(try shop.account.charges.count == 100) }
            #expect(try place.open().check("shop").isEmpty)
        }

        @Test func `Stores of one database do not see each other's records`() throws {
            let place = try TestDatabase()
            let database = try place.open()
            let records = try Shop.records(3)
            let (one, two) = (try database.ledger("one"), try database.ledger("two"))
            #expect(try one.append(records, ifHeadIs: 0))
            #expect(try two.head == 0)
            #expect(try two.append([records[0]], ifHeadIs: 0))
            #expect(try one.read(after: 0, limit: 10) == records)
            #expect(try database.stores() == ["one", "two"])
            try database.removeStore("one")
            #expect(try database.stores() == ["two"])
            #expect(try place.run("SELECT count(*) FROM {schema}.record") == [["1"]])
        }

        @Test(arguments: [BackendLane.background, .caller])
        func `What one process sells another's queue hears of without being used`(lane: BackendLane) throws {
            let place = try TestDatabase()
            let (here, there) = (try place.open(), try place.open())
            let seller = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: here.ledger("shop", lane: lane)
            )
            let shop = try WatchedShop(there, lane: lane)
            // Some may be found when the queue connects and when the listening begins, and no more.
            for count in 1...3 {
                try seller.account.buy("sword")
                shop.waitForSwords(count)
            }
            #expect(shop.history == Array(repeating: ["sword purchased", "sword removed"], count: 3).flatMap(\.self))
            #expect(there.statistics.notifications > 0)
            #expect(try seller.account.charges.count == 3)
        }

        @Test func `A process that is alone announces nothing, and begins to when another comes`() throws {
            // Nothing else may take a transaction's number.
            let place = TestDatabase(try PostgresCluster(settings: ["autovacuum": "off"]))
            let ledger = try place.open().ledger("shop")
            let records = try Shop.records(20)
            /// Returns the number of transactions that appending five records one by one takes.
            func transactions(behind head: Int) throws -> Int {
                func next() throws -> Int { Int(try place.run("SELECT pg_current_xact_id()")[0][0] ?? "") ?? 0 }
                let before = try next()
                for position in head..<head + 5 {
                    #expect(try ledger.append([records[position]], ifHeadIs: position))
                }
                // What follows the last commit is done before the next answer.
                _ = try ledger.head
                return try next() - before - 1
            }
            #expect(try transactions(behind: 0) == 5)
            let other = try place.open()
            #expect(try transactions(behind: 5) == 10)
            withExtendedLifetime(other) {}
        }

        @Test func `A process that ends right after its commit has told the others`() throws {
            let place = try TestDatabase()
            // Nothing is found by looking.
            let shop = try WatchedShop(place.open { $0.pollInterval = 3_600 })
            // Some may be found when the queue connects and when the listening begins, and no more.
            for count in 1...3 {
                try sell(on: place)
                shop.waitForSwords(count)
            }
        }

        /// Sells a sword in a process that ends right after it.
        private func sell(on place: TestDatabase) throws {
            let brief = try place.open()
            let store = try SandboxStore(clock: SystemClock.shared, ledger: brief.ledger("shop", lane: .caller))
            try store.account.buy("sword")
            brief.close()
        }

        @Test(arguments: [0.05, 3_600])
        func
            `An idle process whose writing connection ends hears of others by the poll, or when the connection is back`(
                pollInterval: TimeInterval
            ) throws
        {
            let place = try TestDatabase()
            let there = try place.open("\(place.cluster.settings) application_name=there") {
                // The connection comes back however long the machine takes to notice its end.
                ($0.pollInterval, $0.patience) = (pollInterval, 600)
            }
            let shop = try WatchedShop(there)
            for count in 1...3 {
                try sell(on: place)
                shop.waitForSwords(count)
            }
            // Its last statement names the schema, and is not the one that listens.
            // A process that sold may still be leaving.
            let other = try there.ledger("other")
            #expect(try other.head == 0)
            let ended = try place.run(
                """
                SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                WHERE application_name = 'there' AND query LIKE '%{schema}%' AND query NOT LIKE 'LISTEN%'
                """
            )
            #expect(ended == [["t"]])
            let heard = there.statistics.notifications
            try sell(on: place)
            if pollInterval < 60 { return shop.waitForSwords(4) }
            // Whoever uses the database first has all of its stores look: nobody has notified this process.
            #expect(try other.head == 0)
            shop.waitForSwords(4)
            #expect(there.statistics.notifications == heard)
        }

        @Test func `Stores of one process on one database hear of each other as well`() throws {
            let place = try TestDatabase()
            let database = try place.open()
            let seller = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: database.ledger("shop")
            )
            let shop = try WatchedShop(database)
            try seller.account.buy("sword")
            shop.waitForSwords(1)
        }

        @Test func `A lost notification is made up for by the poll`() throws {
            let place = try TestDatabase()
            let there = try place.open { $0.pollInterval = 0.05 }
            let shop = try WatchedShop(there)
            // What another store has sold at the same position becomes this one's, and nobody is notified.
            let twin = try SandboxStore(products: Shop.products, ledger: place.open().ledger("twin"))
            try twin.account.buy("sword")
            try place.run(
                """
                INSERT INTO {schema}.record
                SELECT (SELECT id FROM {schema}.store WHERE name = 'shop'), position, writer, batch, checksum, is_counted_on, payload
                FROM {schema}.record WHERE store = (SELECT id FROM {schema}.store WHERE name = 'twin')
                ORDER BY position DESC LIMIT 1
                """
            )
            shop.waitForSwords(1)
            #expect(there.statistics.notifications == 0)
        }

        @Test func `Four stores that sell at once charge every order once, in one order`() throws {
            let place = try TestDatabase()
            let databases = try (0..<4).map { _ in try place.open() }
            let shops = try databases.map {
                try SandboxStore(
                    products: Shop.products,
                    clock: SystemClock.shared,
                    ledger: $0.ledger("shop", lane: .caller)
                )
            }
            // A device each: queues on one would hear of one another's transactions.
            let tills = try shops.enumerated().map { try $1.addDevice("till \($0)", signedInTo: $1.account) }
            let queues = tills.map { SKPaymentQueue(backend: $0, delivery: .inline) }
            let shoppers = queues.map { queue in
                let shopper = Shopper()
                queue.add(shopper)
                return shopper
            }
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                for _ in 0..<25 { queues[index].add(SKPayment(productIdentifier: "sword")) }
            }
            for shopper in shoppers { shopper.wait(for: "sword removed", times: 25) }
            for shop in shops {
                #expect(try shop.account.charges.count == 100)
                #expect(try shop.account.charges == shops[0].account.charges)
            }
            #expect(try databases[0].check("shop").isEmpty)
        }

        @Test func `Writes of many stores of one process share transactions, and each is kept`() throws {
            let place = try TestDatabase()
            let database = try place.open()
            let ledgers = try (0..<8).map { try database.ledger("store \($0)") }
            let records = try Shop.records(40)
            let before = database.statistics
            let group = DispatchGroup()
            for (index, ledger) in ledgers.enumerated() {
                group.enter()
                Thread {
                    for (position, record) in records.enumerated() {
                        let isAppended = try? ledger.append([record], ifHeadIs: position)
                        if isAppended != true { Issue.record("store \(index) did not append record \(position)") }
                    }
                    group.leave()
                }.start()
            }
            group.wait()
            for ledger in ledgers { #expect(try ledger.read(after: 0, limit: 100) == records) }
            let after = database.statistics
            #expect(after.writes - before.writes == 320)
            #expect(after.commits - before.commits < 320)
        }
    }
#endif
