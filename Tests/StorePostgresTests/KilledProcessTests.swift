#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// A process that is ended by `kill -9` while it sells.
    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct KilledProcessTests {
        /// When the process dies.
        enum Moment: CaseIterable, Codable {
            /// The request is on its way, and perhaps in the server.
            case during
            case before, after
        }

        @Test(arguments: Moment.allCases)
        func `A commit during which its process is killed is there whole or not at all, and told to the next launch`(
            moment: Moment
        ) async throws {
            let place = try TestDatabase()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    settings = place.cluster.settings as String, socket = place.cluster.socketPath as String,
                    schema = place.schema as String, moment = moment as Moment
                ] in
                let proxy = try WireProxy(to: socket)
                var options = PostgresDatabase.Options()
                // A busy machine may lose a connection before; the call waits for the next one.
                (options.schema, options.responseTime, options.patience) = (schema, 2, 600)
                let database = try PostgresDatabase(
                    "host=127.0.0.1 port=\(proxy.port) dbname=postgres user=storecore",
                    options: options
                )
                let store = try SandboxStore(
                    products: Shop.products,
                    clock: SystemClock.shared,
                    ledger: database.ledger("shop", lane: .caller)
                )
                let journal = JournalID.unique()
                func buyTwo(from number: Int, as username: String) {
                    let payment = StorePayment(productIdentifier: "sword", applicationUsername: username)
                    let pair = [number, number + 1].map { number in
                        StoreCommand(id: OrderID(journal: journal, number: number), action: .purchase(payment))
                    }
                    store.submit(pair) { _ in }
                }
                buyTwo(from: 1, as: "early")
                // The wire is spoiled by the commit itself: what comes before it, as a late answer to an announcement,
                // passes.
                proxy.change(to: moment == .before ? .silent : .swallowingAnswers, atRequestWith: "late")
                let ledger = try PostgresDatabase(settings, options: options).ledger("shop")
                let head = try ledger.head
                let killer = CommitListener {
                    guard proxy.isTriggered, try ledger.head > head else { return }
                    kill(getpid(), SIGKILL)
                }
                if moment == .after {
                    ledger.add(killer)
                } else {
                    Thread {
                        proxy.waitUntilTriggered()
                        kill(getpid(), SIGKILL)
                    }.start()
                }
                withExtendedLifetime(killer) { buyTwo(from: 3, as: "late") }
            }
            let shop = try WatchedShop(place.open())
            shop.waitForSwords(moment == .after ? 4 : 2)
            let counts = [Moment.before: [2], .during: [2, 4], .after: [4]]
            #expect(try counts[moment]?.contains(shop.store.account.charges.count) == true)
            #expect(try place.open().check("shop").isEmpty)
        }
    }

    /// A listener that calls a function when records may have been committed.
    private final class CommitListener: LedgerListener {
        private let body: @Sendable () throws -> Void

        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }

        func ledgerMayHaveGrown() { try? body() }
    }
#endif
