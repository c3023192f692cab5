#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import Testing

    /// A process that is ended by `kill -9` while it sells.
    @Suite(.postgres, .timeLimit(.minutes(20))) struct KilledProcessTests {
        @Test(arguments: [true, false])
        func `A commit during which its process is killed is there whole or not at all, and told to the next launch`(
            reachesServer: Bool
        ) async throws {
            let place = try TestDatabase()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    socket = place.cluster.socketPath as String, schema = place.schema as String,
                    reachesServer = reachesServer as Bool
                ] in
                let proxy = try WireProxy(to: socket)
                let isSpoiled = Locked(false)
                var options = PostgresDatabase.Options()
                // A busy machine may lose a connection before; the call waits for the next one.
                (options.schema, options.responseTime, options.patience) = (schema, 2, 600)
                let database = try PostgresDatabase(
                    "host=127.0.0.1 port=\(proxy.port) dbname=postgres user=storecore",
                    options: options,
                    // The first notice of the lost connection: the commit is sent, and not answered.
                    log: StoreLog { _ in
                        guard isSpoiled.withLock({ $0 }) else { return }
                        if reachesServer { proxy.waitUntilSwallowed() }
                        kill(getpid(), SIGKILL)
                    }
                )
                let store = try SandboxStore(
                    products: Shop.products,
                    clock: SystemClock.shared,
                    ledger: database.ledger("shop", lane: .caller)
                )
                let journal = JournalID.unique()
                for number in [1, 3] {
                    // The second pair finds its statements prepared: nothing but the commit is on the wire.
                    if number == 3 {
                        proxy.mode = reachesServer ? .swallowingAnswers : .silent
                        isSpoiled.withLock { $0 = true }
                    }
                    let pair = [number, number + 1].map { number in
                        StoreCommand(
                            id: OrderID(journal: journal, number: number),
                            action: .purchase(StorePayment(productIdentifier: "sword"))
                        )
                    }
                    store.submit(pair) { _ in }
                }
            }
            let shop = try WatchedShop(place.open())
            let count = reachesServer ? 4 : 2
            // What has reached the server is committed sooner or later.
            shop.waitForSwords(count)
            #expect(try shop.store.account.charges.count == count)
            #expect(try place.open().check("shop").isEmpty)
        }
    }
#endif
