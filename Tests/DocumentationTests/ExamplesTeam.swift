// The code of the article "A store for a team", compiled and run.
import PostgresCluster
import StoreCore
import StorePostgres
import Testing

struct TeamExamples {
    private static let cluster = Result { try PostgresCluster() }
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
        let cluster = try Self.cluster.get()
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

    @Test(
        .enabled(
            if: Postgres.isAvailable && PostgresCluster.isAvailable,
            Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
        )
    )
    func `A store that is split by account has each account's purchases in one ledger`() throws {
        let cluster = try Self.cluster.get()
        let database = try PostgresDatabase(cluster.settings)

        func ledger(of account: String) throws -> any SharedLedger {
            // Not `hashValue`, which is another one in each process.
            let group = account.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 63 }
            return try database.ledger("shop \(group)")
        }

        let accounts = (1...40).map { "account \($0)" }
        for account in accounts + accounts {
            let store = try SandboxStore(products: products, ledger: ledger(of: account))
            try (store.accounts.first { $0.name == account } ?? store.addAccount(account)).buy("sword")
        }
        for account in accounts {
            let store = try SandboxStore(ledger: ledger(of: account))
            #expect(try store.accounts.first { $0.name == account }?.charges.count == 2)
        }
        #expect(try database.stores().count > 1)
    }
}
