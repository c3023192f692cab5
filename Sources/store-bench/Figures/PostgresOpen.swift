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
                let database = try PostgresShop.open()
                let store = UUID().uuidString
                let plain = try PlainPostgres()
                let id = try fill(store, to: records, database, plain)
                let sql = "SELECT payload FROM storecore.snapshot WHERE store = \(id) ORDER BY position DESC LIMIT 1"
                return Cases(
                    floor: {
                        try .openings(20) { try plain.size(of: sql) > 1_000 ? 1 : 0 }
                    },
                    value: {
                        try .openings(20) {
                            let ledger = try database.ledger(store, lane: .caller)
                            let opened = try SandboxStore(clock: SystemClock.shared, ledger: ledger)
                            return try withExtendedLifetime(opened) { try ledger.head >= records ? 1 : 0 }
                        }
                    }
                )
            }
        }

        /// Fills a store, and returns its number.
        ///
        /// Each past purchase has two records, since it was finished. A thousand are pending.
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
            for group in 0..<records / 2_000 {
                submit(Array(repeating: .purchase(payment), count: 1_000))
                submit((1...1_000).map { .finish(transaction: String(group * 1_000 + $0)) })
            }
            submit(Array(repeating: .purchase(payment), count: 1_000))
            return try plain.run("SELECT id FROM storecore.store WHERE name = '\(name)'")
        }
    }

    extension Sample {
        fileprivate static func openings(_ count: Int, _ open: () throws -> Int) throws -> Sample {
            var found = 0
            let time = try Stopwatch.nanoseconds { for _ in 0..<count { found += try open() } }
            try WrongCount.check(found, of: count, "stores were opened")
            return Sample(value: time / Double(count))
        }
    }
#endif
