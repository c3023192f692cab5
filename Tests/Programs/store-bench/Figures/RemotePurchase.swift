#if canImport(CMicroHTTPD) && canImport(CLibcrypto)
    import Foundation
    import StoreCore
    import StoreRemote
    import StoreServer

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    extension Figure {
        static let remotePurchase = Figure(
            name: "remote.purchase",
            summary: "a purchase and its finish over loopback, beside two requests of the bare server",
            unit: "ns/purchase",
            limit: 1.5
        ) {
            let shop = try RemoteShop()
            let plain = try ConstantServer(answering: Array("{}".utf8))
            let session = URLSession(configuration: .ephemeral)
            return Cases(
                floor: { try await twoRequests(to: plain, session, shop.bodies) },
                value: { try await shop.sample() }
            )
        }

        private static let count = 200

        /// Measures the nanoseconds of two requests, one after the other, with the bodies of a purchase and of a finish.
        @concurrent private static func twoRequests(
            to server: ConstantServer,
            _ session: URLSession,
            _ bodies: [Data]
        ) async throws -> Sample {
            let url = try RemoteShop.some(URL(string: "http://127.0.0.1:\(server.port)/device/2/submit"))
            return try await .nanoseconds(each: count, of: 2 * count, "requests had the right answer") {
                var done = 0
                for _ in 0..<count {
                    for body in bodies {
                        var request = URLRequest(url: url)
                        request.httpMethod = "POST"
                        request.httpBody = body
                        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                        let (answer, _) = try await session.data(for: request)
                        if answer.count == 2 { done += 1 }
                    }
                }
                return done
            }
        }

        /// A store that is served, and a queue elsewhere on it.
        private final class RemoteShop: Sendable {
            private let server: StoreServer
            private let queue: SKPaymentQueue
            private let buyer = Buyer()
            static let coins = "com.example.coins"

            init() throws {
                let store = try SandboxStore(products: [.consumable(Self.coins, price: "0.99")], clock: SystemClock())
                server = try StoreServer(store)
                let remote = RemoteStore(url: server.url, token: try store.device.makeToken())
                queue = SKPaymentQueue(backend: remote.asStoreBackend(), delivery: .inline)
                queue.add(buyer)
            }

            /// The bodies of the two requests.
            var bodies: [Data] {
                get throws {
                    let id = OrderID(journal: .unique(), number: 1_000)
                    let payment = StorePayment(productIdentifier: Self.coins)
                    return try [StoreCommand.Action.purchase(payment), .finish(transaction: "2000000000001000")].map {
                        try JSONEncoder().encode([StoreCommand(id: id, action: $0)])
                    }
                }
            }

            @concurrent func sample() async throws -> Sample {
                let before = buyer.finished
                return try await .nanoseconds(each: count, "purchases were finished") {
                    for _ in 0..<count { await buyer.buy(Self.coins, from: queue) }
                    return buyer.finished - before
                }
            }

            static func some<Value>(_ value: Value?) throws -> Value {
                guard let value else { throw URLError(.badURL) }
                return value
            }
        }

        /// An observer that finishes what is purchased, and lets the next purchase begin when it is removed.
        private final class Buyer: NSObject, SKPaymentTransactionObserver, Sendable {
            private let state = Locked((finished: 0, waiter: CheckedContinuation<Void, Never>?.none))

            var finished: Int { state.withLock { $0.finished } }

            func buy(_ product: String, from queue: SKPaymentQueue) async {
                await withCheckedContinuation { waiter in
                    state.withLock { $0.waiter = waiter }
                    queue.add(SKPayment(productIdentifier: product))
                }
            }

            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                for transaction in transactions where transaction.transactionState == .purchased {
                    queue.finishTransaction(transaction)
                }
            }

            func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
                let waiter = state.withLock { state in
                    state.finished += transactions.count
                    return state.waiter.take()
                }
                waiter?.resume()
            }
        }
    }
#endif
