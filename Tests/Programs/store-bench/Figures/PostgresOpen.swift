#if canImport(CPostgres)
    import Foundation
    import StoreCore
    import StorePostgres

    extension Figure {
        static let postgresOpenLong = postgresOpen("postgres.open", records: 1_000_000)
        static let postgresOpenShort = postgresOpen("postgres.open.short", records: 100_000)

        /// Returns the figure of a store whose records are covered by a snapshot, but for the last few.
        private static func postgresOpen(_ name: String, records: Int) -> Figure {
            Figure(
                name: name,
                summary: "opening a store of \(records) records in PostgreSQL, beside reading its snapshot",
                unit: "ns/opening",
                limit: 3
            ) {
                let database = try StoreShop.openDatabase()
                let store = UUID().uuidString
                let plain = try PlainPostgres()
                let id = try fill(store, to: records, database, plain)
                let sql = "SELECT payload FROM storecore.snapshot WHERE store = \(id) ORDER BY position DESC LIMIT 1"
                return Cases(
                    floor: {
                        try .openings {
                            try plain.size(of: sql)
                        } found: {
                            $0 / bytesPerTransaction
                        }
                    },
                    value: {
                        try .openings {
                            let ledger = try database.ledger(store, lane: .caller)
                            return try SandboxStore(clock: SystemClock.shared, ledger: ledger)
                        } found: {
                            Self.pending(in: $0)
                        }
                    }
                )
            }
        }

        /// Returns the number of transactions that a store has for a device.
        private static func pending(in store: SandboxStore) -> Int {
            let queue = SKPaymentQueue(backend: store, delivery: .inline)
            let observer = Bystander()
            queue.add(observer)
            queue.settle()
            return withExtendedLifetime(observer) { queue.transactions.count }
        }

        fileprivate static let pending = 1_000
        /// The fewest bytes of a pending transaction in a snapshot.
        private static let bytesPerTransaction = 20

        /// Fills a store, and returns its number.
        ///
        /// Each past purchase has two records, since it was finished. A thousand and some are pending, as many as the last
        /// snapshot waits for, and a few records are behind it.
        private static func fill(
            _ name: String,
            to records: Int,
            _ database: PostgresDatabase,
            _ plain: PlainPostgres
        ) throws -> String {
            let ledger = try database.ledger(name, lane: .caller)
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: ledger)
            let journal = JournalID(rawValue: 1)
            let payment = StorePayment(productIdentifier: "sword")
            var number = 0

            func submit(_ actions: [StoreCommand.Action]) {
                let commands = actions.map { action in
                    number += 1
                    return StoreCommand(id: OrderID(journal: journal, number: number), action: action)
                }
                store.submit(commands) { _ in }
            }

            submit(Array(repeating: .purchase(payment), count: pending))
            for group in 0..<records / 2_000 {
                submit(Array(repeating: .purchase(payment), count: 1_000))
                submit((1...1_000).map { .finish(transaction: String(pending + group * 1_000 + $0)) })
            }
            for _ in 0..<30 { submit([.purchase(payment)]) }
            return try plain.run("SELECT id FROM storecore.store WHERE name = '\(name)'")
        }
    }

    private final class Bystander: NSObject, SKPaymentTransactionObserver {
        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    }

    extension Sample {
        /// Measures nanoseconds per opening of a store that has at least a thousand transactions.
        fileprivate static func openings<Store>(
            _ open: () throws -> Store,
            found transactions: (Store) -> Int
        ) throws -> Sample {
            let count = 20
            var time = 0.0
            for _ in 0..<count {
                var store: Store?
                time += try Stopwatch.nanoseconds { store = try open() }
                let found = store.map(transactions) ?? 0
                try WrongCount.check(min(found, Figure.pending), of: Figure.pending, "pending transactions were found")
            }
            return Sample(value: time / Double(count))
        }
    }
#endif
