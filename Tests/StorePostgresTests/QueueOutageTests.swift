#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import Testing

    /// Queues whose database stops, on clusters of their own.
    @Suite(.postgres, .timeLimit(.minutes(20))) struct QueueOutageTests {
        private let place: TestDatabase
        private let database: PostgresDatabase

        init() throws {
            place = TestDatabase(try PostgresCluster())
            database = try place.open { $0.patience = 0 }
        }

        @Test func `A purchase waits for a server that is stopped, and is made once it is started again`() throws {
            let shop = try WatchedShop(database)
            try place.cluster.stop()
            place.log.once("the database is away") { [cluster = place.cluster] in
                #expect(shop.history.isEmpty)
                Thread { #expect(throws: Never.self) { try cluster.start() } }.start()
            }
            shop.queue.add(SKPayment(productIdentifier: "sword"))
            shop.waitForSwords(1)
            #expect(shop.history == ["sword purchased", "sword removed"])
            #expect(try shop.store.account.charges.count == 1)
        }
    }
#endif
