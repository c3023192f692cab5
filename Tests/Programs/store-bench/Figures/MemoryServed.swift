#if canImport(CMicroHTTPD) && canImport(CLibcrypto) && canImport(CSQLite)
    import Foundation
    import StoreCore
    import StoreSQLite
    import StoreServer

    extension Figure {
        static let memoryServed = Figure(
            name: "memory.served",
            summary: "bytes of a transaction that a served store has sold and notified, beside an object by hand",
            unit: "B/transaction",
            limit: 7.5,
            knownFloor: 184,
            isolation: .sample,
            growth: Growth(of: "transactions", unit: "B/transaction", sizes: [count, 8 * count, 64 * count]) {
                count in
                let folder = TemporaryFolder(for: "store-bench")
                try folder.make()
                return Growth.Probe(sample: { try ServedWeek.sample(of: count, in: folder) }, cleanUp: folder.remove)
            }
        ) {
            let folder = TemporaryFolder(for: "store-bench")
            try folder.make()
            return Cases(
                floor: { try .bytes(each: count) { HandPending.purchased($0).queue } },
                value: { try ServedWeek.sample(of: count, in: folder) },
                cleanUp: folder.remove
            )
        }

        /// A 64th of a million: arrays that double have then the same part of their capacity free.
        private static let count = 15_625
    }

    /// A store as `sandbox-store serve` has it, in a file, with the page for browsers and a server to notify.
    private final class ServedWeek {
        private let store: SandboxStore
        private let server: StoreServer
        private let hearer = Hearer()
        private var customers: [SandboxDevice] = []
        private static let (coins, season) = ("com.example.coins.100", "com.example.season")

        private init(_ folder: TemporaryFolder) throws {
            let database = try SQLiteDatabase(at: folder.newFile(), durability: .normal, lane: .caller)
            store = try SandboxStore(
                products: [.consumable(Self.coins, price: "0.99"), .nonRenewing(Self.season, price: "9.99")],
                ledger: database.ledger
            )
            var configuration = StoreServer.Configuration()
            configuration.notificationURL = URL(string: "https://example.com/notifications")
            configuration.transport = hearer
            configuration.hasConsole = true
            configuration.log = .silent
            server = try StoreServer(store, configuration: configuration)
        }

        /// Measures the bytes of each of so many transactions behind as many others, with which the server has made all
        /// that it makes once, and has filled SQLite's cache.
        static func sample(of count: Int, in folder: TemporaryFolder) throws -> Sample {
            let week = try ServedWeek(folder)
            let before = try week.bytesInUse(after: count)
            let after = try week.bytesInUse(after: count)
            try WrongCount.check(week.hearer.heard, of: 2 * count, "notifications were heard")
            return withExtendedLifetime(week) { Sample(value: Double(after - before) / Double(count)) }
        }

        private func bytesInUse(after count: Int) throws -> Int {
            try sell(count)
            try ask()
            return try Heap.bytesInUse()
        }

        /// Sells and finishes, 25 transactions to each customer, and waits until the last notification is delivered.
        private func sell(_ count: Int) throws {
            let each = 25
            for number in customers.count..<customers.count + count / each {
                let account = try store.addAccount("account \(number)")
                let device = try store.addDevice("device \(number)", signedInTo: account)
                customers.append(device)
                let purchases = (0..<each).map { place in
                    let product = place.isMultiple(of: 2) ? Self.coins : Self.season
                    return StoreCommand.Action.purchase(StorePayment(productIdentifier: product))
                }
                let finishes = (1...each).map { StoreCommand.Action.finish(transaction: String(number * each + $0)) }
                let journal = JournalID(rawValue: UInt64(number + 1))
                for (actions, first) in [(purchases, 1), (finishes, each + 1)] {
                    let commands = actions.enumerated().map { place, action in
                        StoreCommand(id: OrderID(journal: journal, number: first + place), action: action)
                    }
                    device.submit(commands) { _ in }
                }
            }
            store.clock.activity.settle()
        }

        /// Asks for what makes the server read all that was sold.
        private func ask() throws {
            let bundle = "com.example.app"
            let token = try server.credentials.token(bundleIdentifier: bundle)
            let connection = try LoopbackConnection(port: server.port)
            for (path, token) in [("console/overview", server.controlToken ?? ""), ("inApps/v2/history/1", token)] {
                let request = """
                    GET /\(path) HTTP/1.1\r
                    Host: 127.0.0.1\r
                    Authorization: Bearer \(token)\r
                    \r\n
                    """
                try connection.send(Array(request.utf8))
                _ = try connection.readAnswer()
            }
        }
    }

    /// A transport to a server that accepts each notification at once.
    private final class Hearer: NotificationTransport {
        private let count = Locked(0)
        var heard: Int { count.withLock { $0 } }

        func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
            count.withLock { $0 += 1 }
            reply(.success, 200)
        }
    }
#endif
