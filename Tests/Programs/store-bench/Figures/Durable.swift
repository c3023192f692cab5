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
                        let shop = try DurableShop(folder.newFile(), durability, lane: .caller, delivery: .inline)
                        return try .purchases(count) { shop.buySingly($0) }
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
                        let shop = try DurableShop(folder.newFile(), durability, lane: .background, delivery: delivery)
                        return try .purchases(count) { shop.buyAtOnce($0) }
                    },
                    cleanUp: folder.remove
                )
            }
        }
    }

    /// A store and a queue on one file, and an observer that finishes.
    private final class DurableShop {
        private let queue: SKPaymentQueue
        private let observer = Finisher()

        init(
            _ file: URL,
            _ durability: SQLiteDatabase.Durability,
            lane: BackendLane,
            delivery: StoreDelivery
        ) throws {
            let database = try SQLiteDatabase(at: file, durability: durability, lane: lane)
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], ledger: database.ledger)
            queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: delivery)
            queue.add(observer)
        }

        func buySingly(_ count: Int) -> Int {
            let before = observer.removed
            let payment = SKPayment(productIdentifier: "sword")
            for _ in 0..<count { queue.add(payment) }
            return observer.removed - before
        }

        func buyAtOnce(_ count: Int) -> Int {
            let before = observer.removed
            let payment = SKPayment(productIdentifier: "sword")
            for _ in 0..<count { queue.add(payment) }
            queue.settle()
            return observer.removed - before
        }
    }

    // unchecked: called on one thread at a time, and read when the queue is quiet.
    private final class Finisher: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
        private(set) var removed = 0

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions where transaction.transactionState == .purchased {
                queue.finishTransaction(transaction)
            }
        }

        func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
            removed += transactions.count
        }
    }
#endif
