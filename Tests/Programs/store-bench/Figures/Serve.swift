#if canImport(CMicroHTTPD) && canImport(CLibcrypto)
    import Foundation
    import StoreCore
    import StoreCrypto
    import StoreServer

    extension Figure {
        static let serveVerifyReceipt = Figure(
            name: "serve.verifyReceipt",
            summary: "a receipt verified over HTTP, beside a constant of the same size",
            unit: "ns/request",
            limit: 2
        ) {
            let shop = try ServedShop()
            let requests = try (0..<8).map { try shop.verification(of: shop.addCustomer(number: $0)) }
            return try cases(shop, requests, rounds: 500)
        }

        static let serveHistory = Figure(
            name: "serve.history",
            summary: "a page of 20 signed transactions over HTTP, beside a constant of the same size",
            unit: "ns/request",
            limit: 2
        ) {
            let shop = try ServedShop()
            let requests = try (0..<8).map { number in
                let account = try shop.store.addAccount("account \(number)")
                return try shop.history(of: shop.buy(30, by: account))
            }
            return try cases(shop, requests, rounds: 250)
        }

        static let serveHistoryLong = Figure(
            name: "serve.history.long",
            summary: "the page with the last ten of 100,000 purchases over HTTP, beside the one of ten in all",
            unit: "ns/request",
            limit: 1.2,
            growth: Growth(of: "purchases", unit: "ns/request", sizes: [1_000, 10_000, 100_000]) { purchases in
                let clients = try lastTen(of: purchases)
                return Growth.Probe { try clients.sample(rounds: 250) }
            }
        ) {
            let (floor, value) = (try lastTen(of: 10), try lastTen(of: 100_000))
            return Cases(floor: { try floor.sample(rounds: 250) }, value: { try value.sample(rounds: 250) })
        }

        static let serveStores = Figure(
            name: "serve.stores",
            summary: "a store opened over HTTP, bought from and closed, with 1,000 others open, beside one alone",
            unit: "ns/store",
            limit: 1.2,
            growth: Growth(of: "stores", unit: "ns/store", sizes: [1, 100, 1000, 9000]) { stores in
                let host = try TestStoreHost(besides: stores)
                return Growth.Probe { try host.sample(rounds: 50) }
            }
        ) {
            let (alone, among) = (try TestStoreHost(besides: 0), try TestStoreHost(besides: 1000))
            return Cases(floor: { try alone.sample(rounds: 50) }, value: { try among.sample(rounds: 50) })
        }

        /// Makes clients that ask for the page with the last ten purchases.
        private static func lastTen(of purchases: Int) throws -> LoopbackClients {
            let shop = try ServedShop()
            let early = try shop.buy(purchases - 10, by: shop.store.account)
            let revision = purchases > 10 ? try shop.revision(behind: early) : nil
            let last = try shop.buy(10, by: shop.store.account)
            let request = shop.history(of: last, from: revision)
            let requests = Array(repeating: request, count: 8)
            let clients = try LoopbackClients(of: shop.server, port: shop.server.port, requests: requests)
            let pages = try clients.answers().map { try JSONDecoder().decode(Page.self, from: Data($0)) }
            let count = pages.reduce(0) { $0 + $1.signedTransactions.count }
            try WrongCount.check(count, of: 10 * pages.count, "transactions were in the pages")
            return clients
        }

        private struct Page: Decodable {
            let signedTransactions: [String]
        }

        private static func cases(_ shop: ServedShop, _ requests: [[UInt8]], rounds: Int) throws -> Cases {
            let clients = try LoopbackClients(of: shop.server, port: shop.server.port, requests: requests)
            let answer = try clients.answers()[0]
            let constant = try ConstantServer(answering: answer)
            let plain = try LoopbackClients(of: constant, port: constant.port, requests: requests)
            return Cases(floor: { try plain.sample(rounds: rounds) }, value: { try clients.sample(rounds: rounds) })
        }
    }

    /// A server on which a test opens stores.
    private final class TestStoreHost {
        private let server: StoreServer
        private let connection: LoopbackConnection
        private let token: String

        private struct Opened: Decodable {
            let store: String
        }

        /// Opens a server, with a number of stores that remain open.
        init(besides stores: Int) throws {
            let products: [SandboxProduct] = [.nonConsumable("castle", price: "4.99")]
            var configuration = StoreServer.Configuration()
            configuration.hasControl = true
            server = try StoreServer(try SandboxStore(products: products), configuration: configuration)
            token = server.controlToken ?? ""
            connection = try LoopbackConnection(port: server.port)
            for _ in 0..<stores { _ = try open() }
        }

        /// Opens stores, buys once from each, and closes it.
        func sample(rounds: Int) throws -> Sample {
            try .nanoseconds(each: rounds, "stores were opened and sold once") {
                var done = 0
                for _ in 0..<rounds {
                    let name = try open()
                    let sold = try ask("POST", "stores/\(name)/control/v1/commands/buy", #"{"product": "castle"}"#)
                    if !sold.isEmpty { done += 1 }
                    _ = try ask("DELETE", "control/v1/stores/\(name)")
                }
                return done
            }
        }

        private func open() throws -> String {
            try JSONDecoder().decode(Opened.self, from: Data(try ask("POST", "control/v1/stores"))).store
        }

        private func ask(_ method: String, _ path: String, _ body: String = "") throws -> ArraySlice<UInt8> {
            let request = """
                \(method) /\(path) HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(token)\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            try connection.send(Array(request.utf8))
            return try connection.readAnswer()
        }
    }

    /// A store as `sandbox-store serve` has it, by the system's clock and with an authority's signatures; its server, and
    /// requests to that.
    private struct ServedShop {
        let store: SandboxStore
        let server: StoreServer
        private let token: String
        private static let item = "com.example.item"
        private static let season = "com.example.season"

        init() throws {
            let clock = SystemClock()
            let authority = try CertificateAuthority(now: clock.now)
            store = try SandboxStore(
                products: [.nonConsumable(Self.item, price: "4.99"), .nonRenewing(Self.season, price: "9.99")],
                clock: clock,
                signer: try AppStoreSigner(authority, clock: clock)
            )
            server = try StoreServer(store)
            let bundle = ServerView(store).bundleIdentifier
            token = try server.credentials.token(bundleIdentifier: bundle, lifetime: 3600)
        }

        /// Adds an account that owns an item; returns the receipt of its device.
        func addCustomer(number: Int) throws -> Data {
            let account = try store.addAccount("account \(number)")
            let device = try store.addDevice("device \(number)", signedInTo: account)
            try account.buy(Self.item)
            guard let receipt = device.appReceipt else {
                throw LoopbackConnection.Broken(description: "the device has no receipt")
            }
            return receipt
        }

        /// Buys a season again and again; returns the last transaction.
        func buy(_ count: Int, by account: SandboxAccount) throws -> String {
            var last = ""
            for _ in 0..<count { last = try account.buy(Self.season) }
            return last
        }

        /// Returns the revision of an account's history as it is now.
        func revision(behind transaction: String) throws -> String {
            let query = ServerHistoryQuery(of: transaction, limit: 1_000_000)
            guard let page = try ServerView(store).history(query) else {
                throw LoopbackConnection.Broken(description: "there is no history")
            }
            return page.revision
        }

        func verification(of receipt: Data) -> [UInt8] {
            let body = "{\"receipt-data\":\"\(receipt.base64EncodedString())\"}"
            return Array(
                """
                POST /verifyReceipt HTTP/1.1\r
                Host: 127.0.0.1\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """.utf8
            )
        }

        func history(of transaction: String, from revision: String? = nil) -> [UInt8] {
            let query = revision.map { "?revision=\($0)" } ?? ""
            return Array(
                """
                GET /inApps/v2/history/\(transaction)\(query) HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(token)\r
                \r\n
                """.utf8
            )
        }
    }
#endif
