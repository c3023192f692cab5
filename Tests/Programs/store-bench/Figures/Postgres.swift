#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres

    extension Figure {
        static let postgresSerial = Figure(
            name: "postgres.serial",
            summary: "one purchase at a time in PostgreSQL, beside the two insert commits that it needs",
            unit: "ns/purchase",
            limit: 1.5
        ) {
            let count = 1_000
            let database = try StoreShop.openDatabase()
            let plain = try PlainPostgres()
            return Cases(
                floor: {
                    try plain.makeTable("plain_serial")
                    return try .purchases(count) {
                        try plain.insertSingly(2 * $0, into: "plain_serial")
                        return $0
                    }
                },
                value: {
                    let shop = try StoreShop(database)
                    return try .purchases(count) { shop.buy($0) }
                }
            )
        }

        static let postgresPipelined = Figure(
            name: "postgres.pipelined",
            summary: "64 purchases under way in PostgreSQL, beside two pipelined transactions of 64 inserts",
            unit: "ns/purchase",
            limit: 2.5
        ) {
            let count = 6_400
            let database = try StoreShop.openDatabase()
            let plain = try PlainPostgres()
            return Cases(
                floor: {
                    try plain.makeTable("plain_pipelined")
                    return try .purchases(count) { count in
                        for group in 0..<count / 64 {
                            try plain.insertTogether(64, into: "plain_pipelined", after: group * 128)
                            try plain.insertTogether(64, into: "plain_pipelined", after: group * 128 + 64)
                        }
                        return count
                    }
                },
                value: {
                    let delivery = StoreDelivery.queue(DispatchQueue(label: "store-bench.observer"))
                    let shop = try StoreShop(database, lane: .background, delivery: delivery)
                    return try .purchases(count) { shop.buy($0, atOnce: 64) }
                }
            )
        }

        static let postgresNotify = Figure(
            name: "postgres.notify",
            summary: "from a purchase's commit to another process's observer, beside a NOTIFY and its wake-up",
            unit: "ns/notification",
            limit: 2
        ) {
            let count = 300
            let database = try StoreShop.openDatabase()
            let speaker = try PlainPostgres()
            return Cases(
                floor: { try .notifications(count, from: speaker) },
                value: { try .notifications(count, from: database) }
            )
        }

        static let postgresProcesses = Figure(
            name: "postgres.processes",
            summary: "four processes that sell on one store, beside one alone that sells as much",
            unit: "ns/purchase",
            limit: 2
        ) {
            Cases(floor: { try .purchases(by: 1, each: 800) }, value: { try .purchases(by: 4, each: 200) })
        }

        static let postgresStores = Figure(
            name: "postgres.stores",
            summary: "purchases on each of 1,000 stores in one database in turn, beside one store alone",
            unit: "ns/purchase",
            limit: 1.2
        ) {
            let database = try StoreShop.openDatabase()
            let shops = try (0..<1_000).map { _ in try StoreShop(database) }
            for shop in shops { try WrongCount.check(shop.buy(1), of: 1, "purchases were removed") }
            return Cases(
                floor: {
                    let shop = try StoreShop(database)
                    _ = shop.buy(1)
                    return try .purchases(1_000) { shop.buy($0) }
                },
                value: {
                    try .purchases(1_000) { count in shops.prefix(count).reduce(0) { $0 + $1.buy(1) } }
                }
            )
        }

        /// The split of one store by account: as many purchases on four stores as on one, each with a process's queue.
        static let postgresSplit = Figure(
            name: "postgres.split",
            summary: "four processes with a store each, by account, beside four on one store",
            unit: "ns/purchase",
            limit: 1
        ) {
            Cases(
                floor: { try .purchases(by: 4, each: 200) },
                value: { try .purchases(by: 4, each: 200, isSplit: true) }
            )
        }
    }

    extension StoreShop {
        static func openDatabase() throws -> PostgresDatabase {
            try PostgresDatabase(PlainPostgres.cluster.get().settings, log: .silent)
        }

        /// Makes a shop whose store, and its records, are in a database.
        init(
            _ database: PostgresDatabase,
            _ name: String = UUID().uuidString,
            lane: BackendLane = .caller,
            delivery: StoreDelivery = .inline
        ) throws {
            let store = try Self.store(database, name, lane: lane)
            let device = try store.addDevice(UUID().uuidString, signedInTo: store.account)
            self.init(store, selling: "sword", on: device, delivery: delivery)
        }

        static func store(
            _ database: PostgresDatabase,
            _ name: String,
            lane: BackendLane = .caller
        ) throws -> SandboxStore {
            try SandboxStore(
                products: [.consumable("sword", price: "0.99")],
                clock: SystemClock.shared,
                ledger: database.ledger(name, lane: lane)
            )
        }
    }
    extension Sample {
        /// Measures nanoseconds from a NOTIFY to the wake-up of another process.
        fileprivate static func notifications(_ count: Int, from speaker: PlainPostgres) throws -> Sample {
            let hearer = try PostgresShopProcess(.listening, "bench")
            defer { hearer.end() }
            // As behind a purchase: the hearer has been asleep for as long as a commit takes.
            try speaker.makeTable("plain_notify")
            var total = 0.0
            for number in 0..<count {
                try speaker.insertSingly(1, into: "plain_notify", after: number)
                let asked = DispatchTime.now().uptimeNanoseconds
                try speaker.run("NOTIFY bench")
                total += Double(try hearer.number()) - Double(asked)
            }
            return Sample(value: total / Double(count))
        }

        /// Measures nanoseconds from the return of a purchase to the other process's observer.
        fileprivate static func notifications(_ count: Int, from database: PostgresDatabase) throws -> Sample {
            let name = UUID().uuidString
            let seller = try StoreShop.store(database, name)
            let hearer = try PostgresShopProcess(.hearing, name)
            defer { hearer.end() }
            // The first is heard of when listening begins.
            try seller.account.buy("sword")
            _ = try hearer.number()
            var total = 0.0
            for _ in 0..<count {
                try seller.account.buy("sword")
                let committed = DispatchTime.now().uptimeNanoseconds
                total += Double(try hearer.number()) - Double(committed)
            }
            return Sample(value: total / Double(count))
        }

        /// Measures nanoseconds per purchase, by the wall clock, of processes that sell on one store, or on one each.
        fileprivate static func purchases(by count: Int, each purchases: Int, isSplit: Bool = false) throws -> Sample {
            let name = UUID().uuidString
            let processes = try (0..<count).map { number in
                try PostgresShopProcess(.selling, isSplit ? "\(name) \(number)" : name)
            }
            defer { for process in processes { process.end() } }
            return try .nanoseconds(each: purchases * count, "purchases were removed") {
                for process in processes { try process.send(purchases) }
                return try processes.reduce(0) { try $0 + $1.number() }
            }
        }
    }
#endif
