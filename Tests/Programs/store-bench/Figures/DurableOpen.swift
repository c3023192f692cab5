#if canImport(CSQLite)
    import Foundation
    import StoreCore
    import StoreSQLite

    extension Figure {
        static let durableOpenLong = durableOpen("durable.open", past: 1_000_000, limit: 3, growth: growth)
        static let durableOpenShort = durableOpen("durable.open.short", past: 10_000, limit: 3)

        private static func durableOpen(_ name: String, past: Int, limit: Double, growth: Growth? = nil) -> Figure {
            Figure(
                name: name,
                summary: "opening a store with \(past) past rows and 1,000 pending, beside SQLite reading these",
                unit: "ns/opening",
                limit: limit,
                growth: growth
            ) {
                let folder = TemporaryFolder(for: "store-bench")
                try folder.make()
                let (own, plain) = (folder.newFile(), folder.newFile())
                try fill(own, past: past)
                try PlainDatabase(plain, .normal).fill(past: past, pending: pending)
                return Cases(
                    floor: {
                        try .openings { try PlainDatabase(plain, .normal).pending() }
                    },
                    value: { try .openings(of: own) },
                    cleanUp: folder.remove
                )
            }
        }

        private static let growth = Growth(of: "past rows", unit: "ns/opening") { past in
            let folder = TemporaryFolder(for: "store-bench")
            try folder.make()
            let file = folder.newFile()
            try fill(file, past: past)
            return Growth.Probe(sample: { try .openings(of: file) }, cleanUp: folder.remove)
        }

        fileprivate static let pending = 1_000

        /// Fills the file with past purchases, each finished one with two rows.
        private static func fill(_ file: URL, past: Int) throws {
            let database = try SQLiteDatabase(at: file, durability: .normal, lane: .caller)
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: database.ledger)
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

            var transaction = 0
            while number < past {
                submit(Array(repeating: .purchase(payment), count: 1_000))
                submit((1...1_000).map { .finish(transaction: String(transaction + $0)) })
                transaction += 1_000
            }
            submit(Array(repeating: .purchase(payment), count: pending))
        }
    }

    extension Sample {
        /// Measures nanoseconds per opening of a store.
        fileprivate static func openings(of file: URL) throws -> Sample {
            try openings {
                let database = try SQLiteDatabase(at: file, durability: .normal, lane: .caller)
                let store = try SandboxStore(ledger: database.ledger)
                return withExtendedLifetime(store) { Figure.pending }
            }
        }

        /// Measures nanoseconds per opening that finds all pending purchases.
        fileprivate static func openings(_ open: () throws -> Int) throws -> Sample {
            try .nanoseconds(each: 20, of: 20_000, "pending rows were found") {
                try (0..<20).reduce(0) { count, _ in try count + open() }
            }
        }
    }
#endif
