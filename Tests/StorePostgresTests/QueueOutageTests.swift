#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// Queues whose database stops, on clusters of their own.
    @Suite(
        "Queues whose server is stopped and started, which takes seconds",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct QueueOutageTests {
        private let place: TestDatabase
        private let database: PostgresDatabase

        init() throws {
            place = TestDatabase(try PostgresCluster())
            database = try place.open { $0.patience = 0 }
        }

        @Test func `A purchase waits for a server that is stopped, and is made once it is started again`() throws {
            let shop = try WatchedShop(database)
            let isStopped = DispatchSemaphore(value: 0)
            // It may be noticed while the server is still stopping.
            place.log.once("the database is away") { [cluster = place.cluster] in
                #expect(shop.history.isEmpty)
                Thread {
                    isStopped.wait()
                    #expect(throws: Never.self) { try cluster.start() }
                }
                .start()
            }
            try place.cluster.stop()
            isStopped.signal()
            shop.queue.add(SKPayment(productIdentifier: "sword"))
            shop.waitForSwords(1)
            #expect(shop.history == ["sword purchased", "sword removed"])
            #expect(try shop.store.account.charges.count == 1)
        }

        @Test func `A payment that neither the store nor the journal can keep fails with a sentence for good`()
            throws
        {
            let store = try SandboxStore(
                products: Shop.products,
                clock: SystemClock.shared,
                ledger: database.ledger("shop")
            )
            let queue = SKPaymentQueue(
                backend: store,
                journal: try database.journal("till"),
                delivery: .inline,
                log: .silent
            )
            let shopper = Shopper()
            queue.add(shopper)
            try place.cluster.stop()
            queue.add(SKPayment(productIdentifier: "sword"))
            shopper.wait(for: "sword removed")
            #expect(shopper.history.count == 2)
            #expect(shopper.history[0].hasPrefix("sword failed: the journal cannot keep this payment: "))
            try place.cluster.start()
            let relaunched = SKPaymentQueue(
                backend: store,
                journal: try place.open().journal("till"),
                delivery: .inline,
                log: .silent
            )
            let other = Shopper()
            relaunched.add(other)
            relaunched.add(SKPayment(productIdentifier: "full.game"))
            other.wait(for: "full.game removed")
            #expect(try store.account.charges.map(\.productIdentifier) == ["full.game"])
        }
    }
#endif
