#if canImport(CSQLite)
    import Foundation
    import StoreCore
    import StoreSQLite

    extension Figure {
        static let durableSerialNormal = durableSerial(.normal, count: 4_000, limit: 1.5)
        static let durableSerialFull = durableSerial(.full, count: 1_000, limit: 1.1)
        static let durablePipelinedNormal = durablePipelined(.normal, count: 20_000, limit: 2.5)
        static let durablePipelinedFull = durablePipelined(.full, count: 10_000, limit: 1.5)

        /// Returns the figure, whose name ends with the durability.
        private static func durableSerial(
            _ durability: SQLiteDatabase.Durability,
            count: Int,
            limit: Double
        ) -> Figure {
            Figure(
                name: "durable.serial.\(durability)",
                summary: "one purchase at a time in a file, beside two commits of SQLite's alone",
                unit: "ns/purchase",
                limit: limit
            ) {
                let folder = TemporaryFolder(for: "store-bench")
                try folder.make()
                return Cases(
                    floor: {
                        let shop = try PlainDatabase(folder.newFile(), durability)
                        return try .purchases(count) { try shop.buySingly($0) }
                    },
                    value: {
                        let shop = try StoreShop(folder.newFile(), durability, lane: .caller, delivery: .inline)
                        return try .purchases(count) { shop.buy($0) }
                    },
                    cleanUp: folder.remove
                )
            }
        }

        private static func durablePipelined(
            _ durability: SQLiteDatabase.Durability,
            count: Int,
            limit: Double
        ) -> Figure {
            Figure(
                name: "durable.pipelined.\(durability)",
                summary: "many purchases under way at once, beside SQLite alone in groups of 64",
                unit: "ns/purchase",
                limit: limit
            ) {
                let folder = TemporaryFolder(for: "store-bench")
                try folder.make()
                return Cases(
                    floor: {
                        let shop = try PlainDatabase(folder.newFile(), durability)
                        return try .purchases(count) { try shop.buyInGroups($0) }
                    },
                    value: {
                        let delivery = StoreDelivery.queue(DispatchQueue(label: "store-bench.observer"))
                        let shop = try StoreShop(folder.newFile(), durability, lane: .background, delivery: delivery)
                        return try .purchases(count) { shop.buy($0, atOnce: count) }
                    },
                    cleanUp: folder.remove
                )
            }
        }
    }

    extension StoreShop {
        /// Makes a shop whose store and queue are on one file.
        fileprivate init(
            _ file: URL,
            _ durability: SQLiteDatabase.Durability,
            lane: BackendLane,
            delivery: StoreDelivery
        ) throws {
            let database = try SQLiteDatabase(at: file, durability: durability, lane: lane)
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: database.ledger)
            self.init(store, selling: "sword", on: store, journal: database.journal, delivery: delivery)
        }
    }
#endif
