// The code of the article "A store for a team", compiled and run.
import PostgresCluster
import StoreCore
import StorePostgres
import Testing

struct TeamExamples {
    private let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    /// Compiled only: there is no such host here.
    func till() throws -> SKPaymentQueue {
        let database = try PostgresDatabase("host=db dbname=shop")
        let store = try SandboxStore(products: products, clock: SystemClock.shared, ledger: database.ledger("staging"))
        let queue = SKPaymentQueue(backend: store, journal: try database.journal("till 3"))
        return queue
    }

    @Test(
        .enabled(
            if: Postgres.isAvailable && PostgresCluster.isAvailable,
            Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
        )
    )
    func `A till sells from a shared store`() throws {
        let cluster = try PostgresCluster()
        let database = try PostgresDatabase(cluster.settings)
        // On the caller's thread: nothing has to be waited for.
        let ledger = try database.ledger("staging", lane: .caller)
        let store = try SandboxStore(products: products, clock: SystemClock(), ledger: ledger)
        let observer = Spectator()
        let queue = SKPaymentQueue(backend: store, journal: try database.journal("till 3"), delivery: .inline)
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.seen.last == "sword purchased")
        #expect(
            try SandboxStore(ledger: PostgresDatabase(cluster.settings).ledger("staging")).account.charges.count == 1
        )
    }
}
